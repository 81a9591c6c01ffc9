/// Prints a script with which a shell completes the tool's commands, options and files.
func printCompletions(_ arguments: Arguments) throws {
    let shell = arguments.operands[0]
    switch shell {
    case "bash": print(bash)
    case "zsh": print(zsh)
    case "fish": print(fish)
    default: throw UsageError("there are completions for bash, zsh and fish, not for \(shell)")
    }
}

/// What an operand or an option's value is completed with, by its name in the help.
private enum Values {
    case files, folders, nothing
    case choices([String])

    init(_ name: String) {
        switch name {
        case "FOLDER": self = .folders
        case "NAME", "N", "MB/S": self = .nothing
        default:
            let words = name.split(separator: "|").map(String.init)
            self = words.count > 1 ? .choices(words) : .files
        }
    }

    var choices: [String] {
        if case .choices(let words) = self { words } else { [] }
    }
}

/// Encloses a string in single quotes. All three shells read it back as it is.
private func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: #"'\''"#) + "'"
}

// MARK: bash

/// Files are the default, for which bash doesn't need this function.
private var bash: String {
    let commands = Command.all.map { command in
        let words = command.operands.flatMap { Values($0).choices }.joined(separator: " ")
        let options = command.options.map(\.name).joined(separator: " ")
        return "            \(command.name)) words='\(words)' options='\(options)' ;;\n"
    }
    return """
        _sqift_cli() {
            local words options current="${COMP_WORDS[COMP_CWORD]}"
            if [ "$COMP_CWORD" = 1 ]; then
                words='\(Command.all.map(\.name).joined(separator: " "))'
                options='--help --version'
            else
                case "${COMP_WORDS[1]}" in
        \(commands.joined())        esac
            fi
            case "$current" in
                -*) words=$options ;;
            esac
            COMPREPLY=($(compgen -W "$words" -- "$current"))
        }
        complete -o default -F _sqift_cli sqift-cli
        """
}

// MARK: zsh

private var zsh: String {
    let summaries = Command.all.map { quoted("\($0.name):\($0.summary)") }
    let commands = Command.all.map { command in
        let options = command.options.map { option in
            let value = option.value.map { "=[\(option.summary)]:\($0):\(zshAction($0))" }
            return quoted(option.name + (value ?? "[\(option.summary)]"))
        }
        let operands = command.operands.map { operand in
            let name = operand.filter { !"[]".contains($0) }
            return quoted("\(name == operand ? "" : ":"):\(name):\(zshAction(name))")
        }
        let arguments = (options + operands).joined(separator: " ")
        return "        \(command.name)) _arguments \(arguments) ;;\n"
    }
    return """
        #compdef sqift-cli
        _sqift-cli() {
            if (( CURRENT == 2 )); then
                local -a commands=(\(summaries.joined(separator: " ")))
                _describe command commands
                return
            fi
            shift words
            (( CURRENT-- ))
            case $words[1] in
        \(commands.joined())    esac
        }
        if [ "$funcstack[1]" = _sqift-cli ]; then
            _sqift-cli "$@"
        else
            compdef _sqift-cli sqift-cli
        fi
        """
}

private func zshAction(_ name: String) -> String {
    switch Values(name) {
    case .files: "_files"
    case .folders: "_files -/"
    case .nothing: ""
    case .choices(let words): "(\(words.joined(separator: " ")))"
    }
}

// MARK: fish

private var fish: String {
    let commands = Command.all.flatMap { command in
        let condition = "-n '__fish_seen_subcommand_from \(command.name)'"
        let summary = quoted(command.summary)
        let operands = command.operands.map { "\(condition) \(fishAction($0))" }
        let options = command.options.map { option in
            let value = option.value.map { " -r \(fishAction($0))" } ?? ""
            let name = option.name.dropFirst("--".count)
            return "\(condition) -l \(name)\(value) -d \(quoted(option.summary))"
        }
        return ["-n __fish_use_subcommand -a \(command.name) -d \(summary)"] + operands + options
    }
    let general = ["-f"] + ["help", "version"].map { "-n __fish_use_subcommand -l \($0)" }
    return (general + commands).map { "complete -c sqift-cli \($0)" }.joined(separator: "\n")
}

private func fishAction(_ name: String) -> String {
    switch Values(name) {
    case .files: "-F"
    case .folders: "-f -a '(__fish_complete_directories)'"
    case .nothing: "-f"
    case .choices(let words): "-f -a '\(words.joined(separator: " "))'"
    }
}
