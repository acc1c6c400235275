package dump

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// maxName bounds every name in an input, in bytes.
const maxName = 1024

// joinKind returns "group/Kind", or "Kind" for the core group. It drops the version,
// because a server serves one object in several versions.
func joinKind(apiVersion, kind string) (graph.Kind, error) {
	if err := checkName("kind", kind); err != nil {
		return "", err
	}
	if apiVersion == "" {
		return "", errors.New("apiVersion: missing")
	}
	group, version, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		return graph.Kind(kind), checkName("apiVersion", apiVersion)
	}
	if checkName("", group) != nil || checkName("", version) != nil {
		return "", fmt.Errorf("apiVersion: %s: want GROUP/VERSION or VERSION", spell.Clip(apiVersion))
	}
	return graph.Kind(group + "/" + kind), nil
}

// checkName refuses a name that no API server accepts as a path element. So no name can
// control a terminal.
func checkName(field, s string) error {
	switch {
	case s == "":
		return fmt.Errorf("%s: missing", field)
	case len(s) > maxName:
		return fmt.Errorf("%s: longer than %d bytes", field, maxName)
	case strings.ContainsFunc(s, func(r rune) bool {
		return r == '/' || r == ' ' || r == unicode.ReplacementChar || !unicode.IsPrint(r)
	}):
		return fmt.Errorf("%s: %q: a character that no name has", field, s)
	}
	return nil
}
