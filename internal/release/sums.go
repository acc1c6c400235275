package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	modzip "golang.org/x/mod/zip"
)

// sums are the hashes of a released module in a go.sum.
type sums struct{ zip, mod string }

// pack writes the zip of a module, as the Go command makes it from the repository, and returns its hashes.
func pack(v module.Version, dir, to string) (sums, int64, error) {
	f, err := os.Create(to)
	if err != nil {
		return sums{}, 0, err
	}
	err = modzip.CreateFromDir(f, v, dir)
	info, statErr := f.Stat()
	if err = cmp.Or(err, statErr, f.Close()); err != nil {
		return sums{}, 0, fmt.Errorf("zip %s: %w", v.Path, err)
	}
	var s sums
	if s.zip, err = dirhash.HashZip(to, dirhash.Hash1); err != nil {
		return sums{}, 0, fmt.Errorf("hash %s: %w", v.Path, err)
	}
	if s.mod, err = hashMod(filepath.Join(dir, "go.mod")); err != nil {
		return sums{}, 0, fmt.Errorf("hash %s: %w", v.Path, err)
	}
	return s, info.Size(), nil
}

// hashMod returns the hash of a go.mod, which go.sum has as one of a tree with this file alone.
func hashMod(file string) (string, error) {
	return dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return os.Open(file) })
}

// sumLine is a line of a go.sum.
type sumLine struct{ path, version, hash string }

// addSums returns the text of a go.sum with the lines, and without other lines of the same modules.
// It has the order of go mod tidy.
//
//test:by TestAddSums
func addSums(text string, lines []sumLine) (string, error) {
	ours := map[string]bool{}
	for _, l := range lines {
		ours[l.path] = true
	}
	all := slices.Clone(lines)
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case len(f) != 3:
			return "", fmt.Errorf("go.sum: line %d: want a module, a version and a hash", i+1)
		case !ours[f[0]]:
			all = append(all, sumLine{f[0], f[1], f[2]})
		}
	}
	mods := make([]module.Version, len(all))
	hashes := map[module.Version]string{}
	for i, l := range all {
		mods[i] = module.Version{Path: l.path, Version: l.version}
		hashes[mods[i]] = l.hash
	}
	module.Sort(mods)
	var out strings.Builder
	for _, m := range mods {
		fmt.Fprintf(&out, "%s %s %s\n", m.Path, m.Version, hashes[m])
	}
	return out.String(), nil
}
