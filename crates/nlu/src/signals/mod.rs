//! What the manner of a message says: urgency, sentiment and their indicators.
