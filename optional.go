package ownergraph

// Leveler is the optional power to declare the level of a store. Without it, the level of a
// Fencer is 2, and the level of every other store is 1.
type Leveler interface {
	// Level returns the level of the store's guarantees, always the same. LevelUnset
	// leaves the level to the powers of the store.
	Level() Level
}

// VersionComparer is the optional power to order versions. With it the engine detects a
// history that goes backwards. Config.CompareVersions has precedence.
type VersionComparer interface {
	// CompareVersions returns a negative number if a is older than b, 0 if they are the
	// same, and a positive number if a is newer. Both are of one kind. The engine calls
	// it at any time, while the engine is locked.
	CompareVersions(kind Kind, a, b Version) int
}

// maxWraps bounds the wrappers of a store, so that a store that unwraps to itself does not
// hang its caller.
const maxWraps = 64

// As returns the optional power T of a store, and whether the store has it. T is Fencer,
// Lister, LabelSelector, Leveler or VersionComparer. A store with a method Unwrap() Store
// wraps another one, and has all powers of that store. As returns the outermost store that
// has T itself.
//
// Held by TestAs.
func As[T any](store Store) (T, bool) {
	for range maxWraps {
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

// LevelOf returns the level that the store declares as a Leveler. Otherwise the powers of
// the store show the level: Level2 for a Fencer, Level1 without one.
//
// Held by TestLevelOf.
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
