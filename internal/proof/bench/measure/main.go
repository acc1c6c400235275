package measure

import (
	"encoding/json"
	"fmt"
	"os"
)

// Main is the whole of a process that measures one row. Its first argument is the
// Params as JSON. It ends the process.
func Main(side func(Params) Side) {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: give the parameters of one row, as JSON; this is for the benchmark itself")
		os.Exit(2)
	}
	if err := One(os.Args[1], side); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// One measures the row that the JSON names, and prints the figures. For a row in a
// bubble it ends the process.
func One(params string, side func(Params) Side) error {
	var p Params
	if err := json.Unmarshal([]byte(params), &p); err != nil {
		return fmt.Errorf("measure: parameters: %w", err)
	}
	s := side(p)
	if InBubble(p) {
		RunBubble(os.Stdout, s, p)
	}
	return Run(os.Stdout, s, p)
}
