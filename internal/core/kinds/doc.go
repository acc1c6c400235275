// Package kinds follows the kinds of the store: the set of kinds, their listings and
// watermarks, and the signs that the store's history went backwards.
//
// It has the engine's side of three rules.
//
//   - R5: after a rewind no absence counts. No write goes out before a new listing of the
//     object's kind. A loss may be the first sign of a rewind: after it no write rests on
//     older evidence.
//   - R7: a fence covers the kinds that take part. A kind with a refused event passes none.
//   - R8: a sick kind delays a deletion and never ends one.
//
// Events of the watch change the Table through Apply and SetKinds. The engine reads the
// returned Change and tells the other machines.
package kinds
