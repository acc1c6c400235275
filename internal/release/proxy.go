package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
)

// publish writes the modules into a directory, in the layout of the module proxy's protocol. The
// time of the version is that of the released commit.
func (r *release) publish(proxy, root, temp, when string) error {
	at, err := time.Parse(time.RFC3339, when)
	if err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{r.version, at.UTC()})
	if err != nil {
		return err
	}
	for _, m := range r.modules {
		if m.kept {
			continue
		}
		escaped, err := module.EscapePath(m.path)
		if err != nil {
			return err
		}
		dir := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		mod, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.dir), "go.mod"))
		if err != nil {
			return err
		}
		zip, err := os.ReadFile(m.zip(temp))
		if err != nil {
			return err
		}
		list, err := os.ReadFile(filepath.Join(dir, "list"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if !slices.Contains(strings.Fields(string(list)), r.version) {
			list = append(list, r.version+"\n"...)
		}
		for name, text := range map[string][]byte{"list": list, r.version + ".info": info, r.version + ".mod": mod, r.version + ".zip": zip} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
