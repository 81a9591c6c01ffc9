extension String {
    /// The name in small letters, with `_` before each capital that follows a small letter or a
    /// digit, or that begins a word:
    /// `modelYear` is `model_year`, `baseURL` is `base_url`, `urlOfPage2` is `url_of_page2`.
    var inSnakeCase: String {
        let letters = Array(self)
        var result = ""
        for (index, letter) in letters.enumerated() {
            let followsSmall = index > 0 && !letters[index - 1].isUppercase
            let beginsWord = index + 1 < letters.count && letters[index + 1].isLowercase
            if letter.isUppercase, index > 0, followsSmall || beginsWord, result.last != "_" {
                result.append("_")
            }
            result.append(contentsOf: letter.lowercased())
        }
        return result
    }

    /// The usual name with this snake case: `model_year` is `modelYear`, and `base_url` is
    /// `baseUrl`.
    var fromSnakeCase: String {
        let words = lowercased().split(separator: "_")
        return words.dropFirst().reduce(String(words.first ?? "")) {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
    }
}
