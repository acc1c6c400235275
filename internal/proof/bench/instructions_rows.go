package main

// count is a row of -instructions: a row of program counted, or a benchmark of a package.
// Two runs differ by work units of its work.
type count struct {
	name      string
	benchmark string   // with its parts, as "BenchmarkCycle/keys=1"
	places    []string // the folders that have had the benchmark; nil for program counted
	size      int      // of the setup, for program counted
	work      int      // of the first run; the second has twice as much
	each      int      // objects of a unit of work
}

// objects are those by which the two runs differ.
func (r count) objects() int { return r.work * r.each }

// counts are all rows of -instructions.
func counts() []count {
	const tree = 34 // objects
	out := []count{
		{name: "engine listing", size: 500, work: 250, each: tree},
		{name: "engine listing mixed", size: 500, work: 250, each: tree},
		{name: "engine update", size: 1000, work: 500, each: tree},
		{name: "engine cascade", size: 200, work: 100, each: tree},
		{name: "collector listing", size: 200, work: 1, each: 200 * tree},
		{name: "collector update", size: 200, work: 100, each: tree},
		{name: "collector background", size: 200, work: 100, each: tree},
		{name: "collector foreground", size: 100, work: 50, each: tree},
		{name: "collector orphan", size: 200, work: 100, each: tree},
		{name: "plan", size: 50, work: 25, each: tree},
		{name: "explain", size: 1000, work: 500, each: 1},
	}
	for _, b := range []struct {
		benchmark  string
		work, each int
	}{
		{"BenchmarkObserve", 3, 300 * tree},
		{"BenchmarkObserveMixed", 3, 300 * tree},
		{"BenchmarkObserveNothingNew", 4, 300 * tree},
		{"BenchmarkDecide/rules/delete", 50_000, 1},
		{"BenchmarkDecide/rules/keep", 50_000, 1},
		{"BenchmarkDecide/rules/wait", 50_000, 1},
		{"BenchmarkDecide/rules/verify", 50_000, 1},
		{"BenchmarkDecide/whole/delete", 20_000, 1},
		{"BenchmarkDecide/whole/keep", 50_000, 1},
		{"BenchmarkDecide/whole/wait", 20_000, 1},
		{"BenchmarkDecide/whole/verify", 20_000, 1},
	} {
		out = append(out, count{name: "engine " + b.benchmark, benchmark: b.benchmark, places: []string{"engine", "."}, work: b.work, each: b.each})
	}
	for _, b := range []struct {
		benchmark  string
		work, each int
	}{
		{"BenchmarkCycle/keys=1000", 200_000, 1},
		{"BenchmarkDrain", 200, 1000},
		{"BenchmarkRetry/keys=1000", 50_000, 1},
		{"BenchmarkClone/keys=1000", 200, 1000},
	} {
		places := []string{"queue", "internal/core/queue"}
		out = append(out, count{name: "queue " + b.benchmark, benchmark: b.benchmark, places: places, work: b.work, each: b.each})
	}
	for _, b := range []struct {
		benchmark  string
		work, each int
	}{
		{"BenchmarkIngest", 4, 300 * tree},
		{"BenchmarkNoOpUpdate", 100_000, 1},
		{"BenchmarkFan", 100, 10_000},
		{"BenchmarkClone", 100, 300 * tree},
	} {
		places := []string{"internal/core/observed", "graph"}
		out = append(out, count{name: "graph " + b.benchmark, benchmark: b.benchmark, places: places, work: b.work, each: b.each})
	}
	return out
}
