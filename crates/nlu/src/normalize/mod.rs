//! Text as it is matched, with the way back to the text as it was written.
