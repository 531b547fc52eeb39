//! Gives back the memory that learning a pack's examples needed and serving does not.

/// Frees what the allocator keeps for later: a start needs several times what an idle node does.
pub(crate) fn give_back() {
    // SAFETY: may be called at any time, from any thread; it touches only memory that is free.
    unsafe { libmimalloc_sys::mi_collect(true) }
}
