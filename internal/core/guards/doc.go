// Package guards protects objects, and judges the deletions of guarded roots before their
// cascades (RULES, G1 to G4).
//
// A [Rules] tells which rule protects an object. A [Machine] follows the guarded roots. It
// puts the two finalizers of guards on each of them. For a marked root it asks for a verdict,
// and writes the verdict by a removal of one of the two:
//
//	finalizers     an unmarked root            a marked root
//	none           hold is put on              ordinary: it was never guarded
//	hold           new is put on               refused, or marked before new was on
//	hold and new   guarded                     unjudged: the verdict takes one off
//	new            hold is put on              passed: new goes off, too
//
// A marked object gains no finalizer in any store. So a removal is the only verdict that a
// store can keep, and the first verdict binds every engine.
package guards
