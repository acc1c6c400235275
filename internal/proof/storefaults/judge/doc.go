// Package judge judges a database after a run of users and collectors under faults. It
// reads neither the store under test nor the engine.
//
// It has two sources. The History is kept outside of the database: each write of a user
// with its outcome. The Content is read from the database at the end, without the store
// under test. It has the objects, the rows of the user, and every state of every object in
// the order of the commits.
//
// The judge has these rules:
//
//	lost       an object is gone, no user deleted it, and no owner explains it by the
//	           policies of its references. Or a reference is gone whose owner lives
//	deleted    a change of the database is neither a user's nor permitted to a collector.
//	           internal/proof/invariant judges each change of a collector by the states
//	           before it
//	orphan     the only owner was deleted as an orphaning one, and the dependent is gone or
//	           still has the reference
//	definite   a write has a definite answer, and the database shows another outcome
//	waiting    at rest an object is marked, or a collector has a step left by
//	           internal/proof/oracle
//	handler    a finalizer is gone, and its work was never done
//	strict     a store of level 3 has taken a reference to an owner that is gone or ends,
//	           or has marked a restricted object
//	archive    an object that is gone has no entry, or a living one has an entry. Or the word
//	           of a user, or the row of the user, is missing in an entry
//	tables     the tables of the store contradict each other, or the user's rows do not
//	           match the objects
package judge
