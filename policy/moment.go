package policy

// Moment orders the facts of one observer. The observer gives each fact that it learns, and
// each read and fence that it begins, the next moment. A later moment is larger, and 0 is never.
// Moments of two observers cannot be compared.
type Moment uint64
