package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun reads a small module with one error for each of two systems.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":            "module example.org/m\n\ngo 1.26\n",
		"m.go":              "package m\n\nimport \"os\"\n\nvar Path = os.DevNull + end\n",
		"m_windows.go":      "package m\n\nconst end = 1\n",
		"m_unix.go":         "//go:build unix\n\npackage m\n\nconst end = \"\"\n",
		"m_darwin_test.go":  "package m\n\nimport \"testing\"\n\nfunc TestM(t *testing.T) { t.Fatal(missing) }\n",
		"inner/in.go":       "package inner\n\nimport _ \"example.org/m\"\n",
		"inner/in_plan9.go": "package inner\n\nfunc in() {",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		args, want string // want is a part of the error, or empty for none
		reason     string
	}{
		{"-targets linux/arm64 " + dir, "", "no file of this system has an error"},
		{"-targets linux/arm64,windows/amd64 " + dir, "m.go:5:", "a file of the system has another type"},
		{"-targets darwin/arm64 " + dir, "missing", "a test is wrong"},
		{"-targets plan9/amd64 " + dir, "in_plan9.go:3:", "a file cannot be read"},
		{"-targets vax/vms " + dir, "vax/vms", "the compiler knows no such system"},
		{"-targets linux " + dir, "want a system and an architecture", "no architecture"},
		{"-targets linux/arm64", "directories", "no module"},
		{dir, "-targets", "no system"},
		{"-targets linux/arm64 " + filepath.Join(dir, "none"), "none", "no such directory"},
	} {
		err := run(t.Context(), strings.Fields(tc.args), io.Discard)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: error %v, want %q: %s", tc.args, err, tc.want, tc.reason)
		}
	}
}
