package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is one fenced block of the README.
type block struct{ language, text string }

func readmeBlocks(t *testing.T) (list []block) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		list = append(list, block{m[1], m[2]})
	}
	return list
}

// step is one command of the README with the output that it shows.
type step struct{ command, output string }

func steps(blocks []block) (list []step) {
	for _, b := range blocks {
		if b.language != "console" {
			continue
		}
		for line := range strings.Lines(b.text) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				list = append(list, step{command: strings.TrimSpace(command)})
			} else {
				list[len(list)-1].output += line
			}
		}
	}
	return list
}

// normal replaces the texts that differ from run to run. A UID becomes the number of its
// first appearance.
type normal struct{ uids map[string]string }

func (n normal) text(s string) string {
	s = regexp.MustCompile(`\b[A-Z2-7]{26,29}\b`).ReplaceAllStringFunc(s, func(uid string) string {
		if n.uids[uid] == "" {
			n.uids[uid] = fmt.Sprintf("UID-%d", len(n.uids)+1)
		}
		return n.uids[uid]
	})
	return regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`).ReplaceAllString(s, "2026-01-02T15:04:05Z")
}

// TestReadme runs the commands of the README, and compares their output with the README.
func TestReadme(t *testing.T) {
	dir := t.TempDir()
	shown, seen := normal{map[string]string{}}, normal{map[string]string{}}
	var p *program
	for _, s := range steps(readmeBlocks(t)) {
		got, want := "", shown.text(s.output)
		switch {
		case strings.HasPrefix(s.command, "go build"): // TestMain has built it
		case strings.HasPrefix(s.command, "./controlplane"):
			flags := strings.Fields(s.command) // -store sqlite:FILE -data FOLDER, others, and &
			p = start(t, place{"sqlite:" + filepath.Join(dir, strings.TrimPrefix(flags[2], "sqlite:")), filepath.Join(dir, flags[4])}, flags[5:len(flags)-1]...)
			got = "ready on http://127.0.0.1:8080\n"
		case s.command == "kill -9 %1":
			p.kill()
		default:
			text := strings.NewReplacer("localhost:8080", strings.TrimPrefix(p.url, "http://"), "go run ./old", binary+"-old").Replace(s.command)
			cmd := exec.CommandContext(t.Context(), "bash", "-c", text)
			cmd.Dir = dir
			out, _ := cmd.CombinedOutput() // a command may end with a status, as in a search without a result
			got = seen.text(string(out))
		}
		if got != want {
			t.Errorf("%s\nprints\n%s\nand the README shows\n%s", s.command, got, want)
		}
	}
	if p == nil {
		t.Fatal("the README does not start the program")
	}
}

// TestReadmeCode checks that the code in the README is that of the program.
func TestReadmeCode(t *testing.T) {
	code := ""
	files, err := filepath.Glob("*.go")
	for _, f := range files {
		if text, wrong := os.ReadFile(f); wrong == nil && !strings.HasSuffix(f, "_test.go") {
			code += string(text)
		}
	}
	if err != nil || code == "" {
		t.Fatalf("no code: %v", err)
	}
	for _, b := range readmeBlocks(t) {
		if b.language == "go" && !strings.Contains(code, b.text) {
			t.Errorf("the program does not have this code of the README:\n%s", b.text)
		}
	}
}

// TestSize checks the bounds that make the program easy to copy.
func TestSize(t *testing.T) {
	lines := map[bool]int{}
	files, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err == nil && (f == "README.md" || strings.HasSuffix(f, ".go") && !strings.HasSuffix(f, "_test.go")) {
			lines[f == "README.md"] += strings.Count(string(text), "\n")
		}
	}
	if lines[false] >= 1270 || lines[false] == 0 || lines[true] >= 240 || lines[true] == 0 {
		t.Errorf("%d lines of code, want less than 1270; %d lines of README, want less than 240", lines[false], lines[true])
	}
}
