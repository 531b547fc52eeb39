//! How a node holds its memory: in small pages, and without what only learning a pack's examples needed.

/// Has memory given in pages of its usual size. In huge ones, every arena of the allocator that is begun
/// counts as if it were full: a third more memory, for no speed that can be measured.
pub(crate) fn in_small_pages() {
    // SAFETY: changes nothing but how the kernel backs this process's memory from now on.
    unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
}

/// Frees what the allocator keeps for later: a start needs several times what an idle node does.
pub(crate) fn give_back() {
    // SAFETY: may be called at any time, from any thread; it touches only memory that is free.
    unsafe { libmimalloc_sys::mi_collect(true) }
}
