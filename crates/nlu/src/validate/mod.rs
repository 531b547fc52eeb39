//! Whether a value is what its field asks for, and what to tell the customer if not.
