/// What decodes the rows of a statement, or encodes its parameters.
///
/// The statement keeps it for the next row, together with the container for its keys, since making
/// both takes longer than reading a row. A coder that a type of the user's has kept, or whose
/// container it has kept, is given up instead: it mustn't read another row.
@usableFromInline class StatementCoder {
    /// Makes copies of the container for the keys that were asked for first.
    @exclusivity(unchecked) private var container: KeptContainer?
    /// What all copies of that container refer to.
    @exclusivity(unchecked) private var box: KeptContainer.Box?
    /// False if the container would serve one row only.
    private var keepsContainer: Bool

    init(keepsContainer: Bool) {
        self.keepsContainer = keepsContainer
    }

    /// Returns the kept container for these keys, or a new one.
    ///
    /// - Parameter make: Makes a container, which owns its coder unless it is kept: otherwise each
    ///   key would cost a reference count.
    @inline(__always) final func container<Key: CodingKey, Container>(
        keyedBy type: Key.Type,
        _ make: (_ ownsCoder: Bool) -> Container
    ) -> Container {
        if let container, container.keyType == type {
            return unsafeDowncast(container, to: TypedContainer<Container>.self).copy()
        }
        return newContainer(keyedBy: type, make)
    }

    // Not inlined: even where it isn't called, it would look up the container's type.
    @inline(never) private final func newContainer<Container>(
        keyedBy type: any CodingKey.Type,
        _ make: (_ ownsCoder: Bool) -> Container
    ) -> Container {
        let isOneReference = MemoryLayout<Container>.size == MemoryLayout<KeptContainer.Box>.size
        guard keepsContainer, container == nil, isOneReference else { return make(true) }

        let new = make(false)
        let uncountedBox = unsafeBitCast(new, to: Unmanaged<KeptContainer.Box>.self)
        container = TypedContainer<Container>(uncountedBox, keyedBy: type)
        box = uncountedBox.takeUnretainedValue()
        return new
    }

    /// Whether something else has the container.
    private var isContainerShared: Bool {
        box != nil && !isKnownUniquelyReferenced(&box)
    }

    /// Keeps a coder with its statement, unless something else has it, or its container.
    ///
    /// - Returns: Whether it is kept.
    static func giveBack<Coder: StatementCoder>(
        _ coder: inout Coder,
        to statement: Statement
    ) -> Bool {
        let isContainerShared = coder.isContainerShared
        if isKnownUniquelyReferenced(&coder), !isContainerShared {
            statement.coder = coder
            return true
        }
        coder.keepsContainer = false
        coder.container = nil
        if isContainerShared {
            coder.outliveContainer()
        }
        return false
    }

    // MARK: Containers that a type has kept

    /// The coders of these containers, which don't own them.
    private static let outliving = Locked<[UncheckedSendable<StatementCoder>]>([])

    /// Keeps the coder for as long as its container is used.
    private func outliveContainer() {
        let coder = UncheckedSendable(value: self)
        Self.outliving.withLock { coders in
            // Where the array would grow, so that each coder is looked at a few times only.
            if coders.count == coders.capacity {
                coders.removeAll { !$0.value.isContainerShared }
            }
            coders.append(coder)
        }
    }
}

extension Statement {
    /// Takes the coder out, if it is the right one. A value that is coded meanwhile gets its own.
    @inline(__always) func borrowCoder<Coder: StatementCoder>(
        _ isRight: (Coder) -> Bool
    ) -> Coder? {
        var kept: StatementCoder?
        swap(&kept, &coder)
        guard let kept = kept as? Coder, isRight(kept) else { return nil }
        return kept
    }
}

/// A `KeyedDecodingContainer` or a `KeyedEncodingContainer`. Both are one reference, to a box of
/// the standard library's, whose count of references tells whether there is another copy.
private class KeptContainer {
    /// Stands for the standard library's class.
    final class Box {}

    let keyType: any CodingKey.Type
    fileprivate let uncountedBox: Unmanaged<Box>

    init(_ uncountedBox: Unmanaged<Box>, keyedBy keyType: any CodingKey.Type) {
        self.uncountedBox = uncountedBox
        self.keyType = keyType
    }
}

private final class TypedContainer<Container>: KeptContainer {
    // Unspecialised, it finds the type in this object. Specialised for the keys' type, it would
    // look the container's type up, which takes as long as decoding a property.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func copy() -> Container {
        unsafeBitCast(uncountedBox, to: Container.self)
    }
}
