// Package storetest proves, in anyone's CI, that a Store keeps its contract and
// that the engine is right on top of it.
package storetest
