// Package mutants puts faults into the engine's own source and runs the suites on it. A
// rule is checked if a suite fails when the rule is broken.
//
//	go run ./internal/proof/mutants/cmd/mutants -seeded
//	go run ./internal/proof/mutants/cmd/mutants -generic
//	go run ./internal/proof/mutants/cmd/mutants -relocate
//
// A seeded bug (Bug) breaks one rule: a rule of a decision, of evidence or of the work, a
// law of plans or explanations, or a real case of another collector. It names the methods
// that have to kill it. It may name the tests that these methods run. It also names the
// declaration that it edits, so a move to another file leaves it alone. The command with
// -relocate moves bugs after a larger change of the source (package relocate).
//
// A generic mutant (Mutate) is a small change of syntax, drawn by seed. The targets are
// the pure packages and the code of evidence. A mutant that no suite kills is a gap,
// unless testdata/survivors.txt argues that no suite can kill it.
//
// # Rules and the exhaustive run
//
// A bug with the method exhaustive also names a row and a graph of CI's run (Where). The
// missing rule shows there within seconds. The table has the rows of package exhaustive:
// "2/3" stands for two objects and three actions of a late engine, and so on.
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
//	G1, G2 protected          m421, m422  guard protected; graph 3
//	G2 fences                 m428        guard above 0; graph 5
//	G2 after a loss, a rewind m436, m437  sick kind, rewind, with a guard; graph 1
//	G3                        m226, m424  guard always; graphs 7, 2
//	                          m434, m435  guard always; graph 7
//	G4                        m431        guard above 0; graph 1
//	listings                  m101        2/2, crash, new listing; graph 1
//	enqueued again            m106        2/3; graph 2
//	A1                        m700        2/3 undeleting; graph 3
//	A2                        m701, m702  2/3 undeleting; graph 2
//	A3                        m703, m704  2/3 undeleting; graphs 2, 4
//	A4                        m705, m706  undeleting, policies; graph 4; 2/3 undeleting; graph 2
//
// # Runs
//
// A run leaves the tree as it is. A mutant is one changed file in a scratch directory,
// and the go command gets it by -overlay. Each mutant builds a suite once and runs it as
// a program. An exit status other than 0 kills the mutant, and so does a hang. Each suite
// first runs without any mutant, because a suite that fails there would kill all of them. With
// -first, the suites that killed run so afterwards, and the others do not run at all.
//
// A package of a module outside of the workspace is built and checked in that module, with GOWORK=off.
//
// The mutator is our own. Other tools change files in place or copy the module, and run
// one suite, that of the package. Here most faults show only two packages away.
package mutants
