// Package mutants puts faults into the engine's own source and asks the suites to
// notice: what no suite notices, no suite holds.
//
//	go run ./internal/mutants/cmd/mutants -seeded
//	go run ./internal/mutants/cmd/mutants -generic
//
// Seeded bugs (Bugs) break one rule each: a rule of a decision, of evidence, of
// the work, or a real case of another collector. Each names the methods that must
// kill it. Generic mutants (Mutate) are small changes of syntax in the pure
// packages and the code of evidence, drawn by seed; those that no suite kills are
// argued in testdata/survivors.txt, or are a gap.
//
// # Rules and the exhaustive run
//
// A bug that names the method exhaustive also names a row and a graph of the run
// that CI makes (Where): there the rule's absence shows, within seconds. That CI
// searches the row to its end is held by TestWhere, that each rule has such a bug by
// TestRulesAreHeldExhaustively. Rows are those of package exhaustive; "2/3" stands
// for two objects and three actions of a late engine, and so on.
//
//	R1 conflicts              m024        2/3 touching; graph 2
//	R1 preconditions          m164        2/3; graph 1
//	R2 absence                m026        2/2, crash, new listing; graph 2
//	R2 presence               m028, m030  3/2; graph 13
//	R2 presence, orphaning    m029        2/3; graph 3
//	R2 one instant            m034        3/3 deletions, foreign; graph 29
//	                          m035, m037  3/2; graph 12
//	R3                        m039, m076, m152, m153   2/3; graph 1
//	R4                        m042        2/2, crash, new listing; graph 3
//	R5                        m047, m056  2/2, rewind; graphs 1, 2
//	R6                        m075        2/3; graph 1
//	R7                        m078, m088  2/3; graph 1
//	R7 sick kinds             m079        2/2, sick kind; graph 1
//	R8 errors                 m062        2/2, sick kind; graph 1
//	R8 unlisted owners        m004, m169  3/1 and 2/2, crash, new listing; graphs 4, 2
//	solid owners              m002        3/2; graph 4
//	trimming dangling ones    m013        3/2; graph 4
//	trimming waiting ones     m011, m012  3/2; graph 14; 3/3 adopting, foreign; graph 3
//	orphaning                 m001        2/3; graph 2
//	blocking                  m014, m071  2/3; graph 1; unresolved; graph 7
//	unresolved and orphaning  m072        unresolved; graph 5
//	deletes below foreground  m018        3/2; graph 11
//	rings                     m016, m170  2/3; graph 6
//	                          m015, m097  3/2; graphs 56, 36
//	listings                  m101        2/2, crash, new listing; graph 1
//	who is looked at again    m106        2/3; graph 2
//
// The tree is never touched: a mutant is one changed file in a scratch directory,
// given to the go command by -overlay. A suite is built once for a mutant and
// run as a program; an exit status other than 0 is a kill, and so is a hang.
// A suite that fails without any mutant would kill them all, so each one is
// first run on the source as it is.
//
// The mutator is our own: the tools that exist change files in place or copy the
// module, and know one suite, that of the package. Here most faults show only
// two packages away.
package mutants
