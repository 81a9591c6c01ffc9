import Foundation
import SQiftTestSupport
import Testing

/// The declarations that take SQL and parameters: each shape has the same forms, in the same order.
struct QueryFormsTests {
    private enum Form: String, CaseIterable {
        case values = "_ parameters: repeat each Parameter"
        case valuesAfterTheFirst = "_ first: First, _ rest: repeat each Rest"
        case variadic = "_ parameters: (any Bindable)?..."
        case array = "_ parameters: BindableArray"
        case named = "_ parameters: BindableDictionary"
        case labelled = "parameters: BindableDictionary"
        case either = "_ parameters: Statement.Parameters"
    }

    private struct Shape {
        let name: String
        var forms: [Form]
    }

    /// The public functions of a file that take parameters, grouped by shape: a shape is what is
    /// left of a signature without the parameters.
    private func shapes(in file: String) throws -> [Shape] {
        let text = try String(
            contentsOf: packageFolder.appendingPathComponent("Sources/SQift/" + file),
            encoding: .utf8
        )
        let code = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        var shapes: [Shape] = []
        for match in code.matches(of: /public func (?<signature>.*?) ?\{/) {
            let signature = String(match.output.signature)
            guard let form = Form.allCases.first(where: { signature.contains($0.rawValue) }) else {
                continue
            }
            let packs = ["First: Bindable, each Rest: Bindable", "each Parameter: Bindable"]
            let name = ([form.rawValue] + packs)
                .reduce(signature) { $0.replacingOccurrences(of: $1, with: "") }
                .filter { !" ,".contains($0) }
                .replacingOccurrences(of: "<>", with: "")
            if shapes.last?.name == name {
                shapes[shapes.count - 1].forms.append(form)
            } else {
                shapes.append(Shape(name: name, forms: [form]))
            }
        }
        return shapes
    }

    @Test(arguments: [
        ("Query/Connection+Query.swift", 2), ("Query/Connection+QueryClosure.swift", 4),
        ("Query/Connection+Run.swift", 2), ("Core/Statement/Statement+Binding.swift", 1),
    ])
    func everyShapeHasEveryFormInTheSameOrder(file: String, count: Int) throws {
        let shapes = try shapes(in: file)
        #expect(shapes.count == count, "\(shapes.map(\.name))")
        for shape in shapes {
            let forms: [Form] =
                switch shape.name.prefix(while: { $0 != "<" && $0 != "(" }) {
                case "run": [.values, .variadic, .array, .named, .labelled]
                case "prepare": [.valuesAfterTheFirst, .variadic, .array, .named]
                case "forEachRow": [.values, .either]
                default: [.values, .variadic, .array, .named]
                }
            #expect(shape.forms == forms, "\(shape.name)")
        }
    }
}
