//! YAML documents as trees whose values know where they were written.
