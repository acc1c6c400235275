package lattice

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// supported is a version that a README names, and the place that decides it.
type supported struct {
	file    string // from the root of the repository
	pattern *regexp.Regexp
	phrases []string // of the README, with "MINOR" and "VERSION" for the parts of the version
}

// supportedVersions returns the oldest versions of Kubernetes' modules, which the go.mod files
// require, and the newest, on which CI runs the tests too.
func supportedVersions() []supported {
	const version = ` ?=?v(([0-9]+\.[0-9]+)\.[0-9]+)\b`
	client, runtime := regexp.MustCompile(`k8s\.io/client-go`+version), regexp.MustCompile(`sigs\.k8s\.io/controller-runtime`+version)
	return []supported{
		{"adapters/clientgo/go.mod", client, []string{"client-go MINOR or later", "client-go VERSION,"}},
		{"adapters/clientgo/fakegc/go.mod", client, []string{"with client-go VERSION."}},
		{"adapters/clientgo/fakegc/go.mod", runtime, []string{"controller-runtime MINOR or later", "controller-runtime VERSION with"}},
		{".ci/run", regexp.MustCompile(`NEWEST_CLIENT_GO` + version), []string{"client-go VERSION and"}},
		{".ci/run", regexp.MustCompile(`NEWEST_CONTROLLER_RUNTIME` + version), []string{"controller-runtime VERSION."}},
	}
}

// missing returns the phrases that the README lacks. A text without the version lacks them all.
func (s supported) missing(text, readme string) (list []string) {
	found := s.pattern.FindStringSubmatch(text)
	if found == nil {
		return []string{s.file + " has no " + s.pattern.String()}
	}
	readme = strings.Join(strings.Fields(readme), " ")
	for _, p := range s.phrases {
		if p = strings.NewReplacer("VERSION", found[1], "MINOR", found[2]).Replace(p); !strings.Contains(readme, p) {
			list = append(list, p)
		}
	}
	return list
}

// TestReadmeNamesOldest checks that the README of adapters/clientgo has the versions of client-go
// and controller-runtime on which the tests run.
func TestReadmeNamesOldest(t *testing.T) {
	read := func(file string) string {
		text, err := os.ReadFile(filepath.Join(root(), filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	readme := read("adapters/clientgo/README.md")
	for _, s := range supportedVersions() {
		for _, p := range s.missing(read(s.file), readme) {
			t.Errorf("adapters/clientgo/README.md lacks %q", p)
		}
	}
}

func TestReadmeNamesOldestCanFail(t *testing.T) {
	s := supportedVersions()[0]
	for _, c := range []struct{ reason, text, readme, want string }{
		{"both are there, over two lines", "k8s.io/client-go v0.9.1", "client-go 0.9 or\nlater: client-go 0.9.1, ", ""},
		{"the version is another", "k8s.io/client-go v0.9.2", "client-go 0.9 or later: client-go 0.9.1, ", "client-go 0.9.2,"},
		{"the minor is another", "k8s.io/client-go v0.8.1", "client-go 0.9 or later: client-go 0.8.1,", "client-go 0.8 or later"},
		{"the file has no version", "", "", `adapters/clientgo/go.mod has no ` + s.pattern.String()},
	} {
		if got := strings.Join(s.missing(c.text, c.readme), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
