package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// seedName is the variable of the environment with the seed of a process; see steady.
const seedName = "OWNERGRAPH_BENCH_SEED"

// patch is a change of one line of Go's runtime.
type patch struct {
	file string
	line *regexp.Regexp
	by   string
}

// patches are the changes that steady makes. Under callgrind a turn of 10 ms ends at other
// instructions in each run, so the order of a Collector's steps differs by some percent.
// The seeds of hashes, of the order of maps and of the choice of a select differ, too.
func patches() []patch {
	return []patch{
		{
			"proc.go", regexp.MustCompile(`(?m)^const forcePreemptNS = .*$`),
			"const forcePreemptNS = 3600 * 1000 * 1000 * 1000",
		},
		{
			"os_linux.go", regexp.MustCompile(`(?m)^\t+startupRand = \(\*\[16\]byte\)\(unsafe\.Pointer\(val\)\)\[:\]$`), `$0
			for i := argc + 1; argv_index(argv, i) != nil; i++ {
				const name = "` + seedName + `="
				if s := gostringnocopy(argv_index(argv, i)); len(s) == len(name)+len(startupRand) && s[:len(name)] == name {
					copy(startupRand, s[len(name):])
				}
			}`,
		},
	}
}

// seed returns the setting of a round's seed, of 16 bytes.
func seed(round int) string { return fmt.Sprintf("%s=seed of round %02d", seedName, round) }

// steady writes an overlay of Go's runtime. Its goroutines end their own turns, and the
// environment gives its seed. So one program makes the same steps in each run.
func steady(ctx context.Context, folder string) (overlay string, err error) {
	out, err := command(ctx, ".", "go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for _, p := range patches() {
		path := filepath.Join(strings.TrimSpace(out), "src", "runtime", p.file)
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		if text, err = p.apply(text); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		replace[path] = filepath.Join(folder, p.file+".txt")
		if err := os.WriteFile(replace[path], text, 0o600); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(folder, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o600)
}

// apply changes the line. Another Go version may have none or several.
func (p patch) apply(text []byte) ([]byte, error) {
	if n := len(p.line.FindAll(text, -1)); n != 1 {
		return nil, fmt.Errorf("%d lines match %s, want 1: this Go version is not known", n, p.line)
	}
	return p.line.ReplaceAll(text, []byte(strings.ReplaceAll(p.by, "$0", "${0}"))), nil
}
