package ownergraph

// Leveler is the optional power to say what a store guarantees. Without it,
// a Fencer is taken for level 2 and everything else for level 1.
type Leveler interface {
	// Level returns the level of the store's guarantees, always the same.
	// LevelUnset leaves it to what the store shows.
	Level() Level
}

// VersionComparer is the optional power to order versions. With it the engine
// sees a history that goes backwards. Config.CompareVersions goes before it.
type VersionComparer interface {
	// CompareVersions returns a negative number if a is older than b, 0 if they
	// are the same, and a positive number if a is newer. Both are of one kind.
	// It may be called at any time, while the engine is locked.
	CompareVersions(kind Kind, a, b Version) int
}

// mostWraps bounds how deep a store may be wrapped: one that unwraps to itself
// must not hang anybody.
const mostWraps = 64

// As returns the optional power T (Fencer, Lister, LabelSelector, Leveler,
// VersionComparer) of a store, and whether it has it. A store that wraps another
// one, and has a method Unwrap() Store, has all powers of the other; the outermost
// that has T itself is returned. Held by TestAs.
func As[T any](store Store) (T, bool) {
	for range mostWraps {
		if power, ok := store.(T); ok {
			return power, true
		}
		wrapper, ok := store.(interface{ Unwrap() Store })
		if !ok {
			break
		}
		store = wrapper.Unwrap()
	}
	var none T
	return none, false
}

// LevelOf returns the level that the store declares as a Leveler, or that its
// powers show: Level2 for a Fencer, Level1 otherwise. Held by TestLevelOf.
func LevelOf(store Store) Level {
	if l, ok := As[Leveler](store); ok {
		if level := l.Level(); level != LevelUnset {
			return level
		}
	}
	if _, ok := As[Fencer](store); ok {
		return Level2
	}
	return Level1
}
