// Command foreignkeys compares the policies of references with the actions of foreign keys. It draws
// schemas of at most six tables, with one row each. One DELETE of the first row runs in Postgres and in
// SQLite. The same world is in a store of level 3, where a collector carries the deletion to its end. Both
// leave the same rows with the same references, or both refuse.
//
//	GOWORK=off go -C internal/proof/storefaults run ./foreignkeys -seeds 10000
//
// CASCADE is cascade, SET NULL is release, NO ACTION and RESTRICT are restrict. Each schema runs
// with a plain root, and with a root that a guard selects. A schema without a class runs with a deletion in the
// foreground, too, where all references block. Each runs on the store in memory. A share of them
// runs on the stores of SQLite and Postgres, too, with their triggers and transactions.
//
// A difference is permitted only where a predicate on the schema alone says so (class). The command reports
// how many schemas each of them has. The judge narrows three classes:
//
//   - RESTRICT by another path: the databases run the schema again, with NO ACTION in the place of RESTRICT. Our
//     end is judged beside that one. The end of RESTRICT is the same, or a refusal.
//   - A root that its own cascade restricts: our store refuses.
//   - A ring of restrict, with a guard: the end is that of SQL, or a refusal.
//
// Before each deletion the collector plans it. The plan equals BEGIN; DELETE; count the rows of each table;
// ROLLBACK. It differs from the real end in no class, and it changes no object. Only beside a ring of cascades
// the plan of a foreground deletion has rows whose end it leaves open. Their real end is that of SQL.
//
// All keys are deferred. CASCADE, SET NULL and RESTRICT act at once all the same. Otherwise Postgres' result
// depends on the order of the constraints: NO ACTION refuses a row that a later cascade takes along,
// and the second SET NULL of a row checks its other keys.
//
// # Django
//
// The worlds of testdata/django.txt are deletions with Django's on_delete, and their ends are Django's own on SQLite.
// TestDjango compares them with the store in memory, which needs no Django. One command writes the ends anew. Another
// one compares worlds at random, in which a model may have several rows:
//
//	GOWORK=off go -C internal/proof/storefaults run ./foreignkeys -record foreignkeys/testdata/django.txt
//	GOWORK=off go -C internal/proof/storefaults run ./foreignkeys -django -seeds 10000
//
// Both need Debian's python3-django. The policies stand for on_delete so:
//
//   - CASCADE is cascade, and SET_NULL is release.
//   - RESTRICT is restrict. Django's exemption is that of the store: the restricting row goes along. With a guard
//     the whole cascade is refused, as in Django. Without one the store refuses a restricted root, and the cascade
//     stops at a restricted row below.
//   - PROTECT is restrict, below a root with a guard. Django refuses also if the protecting row goes along, and the
//     store does not (class PROTECT inside of a cascade).
//   - DO_NOTHING with the constraint of the database is NO ACTION: restrict, below a root with a guard.
//   - DO_NOTHING without a constraint is no reference. The row stays, as in Django. Its reference dangles there.
//
// A store of level 3 makes no reference that dangles. Below level 3 TestDangling has our end of one: the object goes
// by a reference that is unset or cascade, loses a release, and keeps a restrict.
package main
