import Foundation
import Testing

/// The declarations that take SQL and parameters: each shape has the same forms, in the same order.
@Suite(.timeLimit(.minutes(20))) struct QueryFormsTests {
    private enum Form: String, CaseIterable {
        case values = "_ first: First, _ rest: repeat each Rest"
        case variadic = "_ parameters: (any Bindable)?..."
        case array = "_ parameters: [(any Bindable)?]"
        case named = "_ parameters: [String: (any Bindable)?]"
        case labelled = "parameters: [String: (any Bindable)?]"
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
            let name = [form.rawValue, "First: Bindable, each Rest: Bindable"]
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
        ("Query/Connection+Query.swift", 2), ("Query/Connection+QueryClosure.swift", 5),
        ("Query/Connection+Run.swift", 2), ("Core/Statement+Binding.swift", 1),
    ])
    func everyShapeHasEveryFormInTheSameOrder(file: String, count: Int) throws {
        let shapes = try shapes(in: file)
        #expect(shapes.count == count, "\(shapes.map(\.name))")
        for shape in shapes {
            let forms: [Form] =
                [.values, .variadic, .array, .named]
                + (shape.name.hasPrefix("run(") ? [.labelled] : [])
            #expect(shape.forms == forms, "\(shape.name)")
        }
    }
}
