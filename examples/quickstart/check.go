package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/ownergraph/ownergraph/graph"
)

// maxName bounds every name in an input, in bytes.
const maxName = 1024

// joinKind returns "group/Kind", or "Kind" of the core group. The version is
// left out: one object is served in several.
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
		return "", fmt.Errorf("apiVersion: %s: want GROUP/VERSION or VERSION", clip(apiVersion))
	}
	return graph.Kind(group + "/" + kind), nil
}

// checkName refuses what no API server accepts as one path element; so no
// name can steer a terminal.
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

// clip makes text of the input fit for an error message.
func clip(s string) string {
	const most = 120
	if len(s) > most || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s[:min(len(s), most)])
	}
	return s
}
