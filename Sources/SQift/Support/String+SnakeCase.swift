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

    /// The usual names with this snake case: `baseUrl`, `baseURL`, `BaseURL` and so on for
    /// `base_url`.
    var namesFromSnakeCase: [String] {
        var names = [""]
        for part in lowercased().split(separator: "_") {
            var spellings = [part.prefix(1).uppercased() + part.dropFirst()]
            if names == [""] {
                spellings.insert(String(part), at: 0)
            }
            // Longer ones are hardly written in capitals. Each doubles the names.
            if (2...5).contains(part.count), names.count < 32 {
                spellings.append(part.uppercased())
            }
            names = spellings.flatMap { spelling in names.map { $0 + spelling } }
        }
        return names
    }
}
