// Package plan has plans of deletions as data: the end of each object, the steps, and
// the cost. This package prints a plan as a tree with a sign for each end: see [Plan.Text]. The
// steps and the cost are in [Plan.Details]. It compares a plan with another one, and with the
// objects that a deletion leaves.
//
// A plan is a forecast by the engine itself. The engine runs on a copy of the affected
// objects, against a copy of the store's rules (RULES, P1 and P2). The forecast is true for
// a store at rest, under the plan's assumptions (P3 and P4):
//
//   - every definite outcome of the plan comes true
//   - every outcome that comes true is definite or possible
package plan
