/// How a file system treats the names in a folder until the folder is synced.
enum FolderOrder: String, CaseIterable {
    /// Changes arrive in their order, and a file that is synced has its name: ext4, xfs.
    case kept
    /// Any of them may arrive without the others, as POSIX allows.
    case lost
}
