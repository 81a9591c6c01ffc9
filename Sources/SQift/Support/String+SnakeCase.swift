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

    /// The usual names with this snake case: `baseUrl` and `baseURL` for `base_url`.
    var namesFromSnakeCase: [String] {
        let parts = lowercased().split(separator: "_")
        return parts.dropFirst().reduce([String(parts.first ?? "")]) { names, part in
            let capitalized = part.prefix(1).uppercased() + part.dropFirst()
            // Longer ones are hardly written in capitals, and would double the names each time.
            let isAbbreviation = (2...5).contains(part.count)
            return names.map { $0 + capitalized }
                + (isAbbreviation ? names.map { $0 + part.uppercased() } : [])
        }
    }
}
