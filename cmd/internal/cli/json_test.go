package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestJSONPage: the page names each form of the program, and each field that the golden files have.
func TestJSONPage(t *testing.T) {
	text, err := os.ReadFile("../../JSON.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	forms := regexp.MustCompile(`"((?:kubectl-ownergraph\.|ownergraph\.)?[a-z-]+/v1)"`)
	for _, file := range sources {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, form := range forms.FindAllStringSubmatch(string(code), -1) {
			if !strings.Contains(page, "`"+form[1]+"`") && !strings.HasSuffix(form[1], "k8s.io/v1") && form[1] != "apps/v1" && form[1] != "batch/v1" && form[1] != "policy/v1" && form[1] != "autoscaling/v1" {
				t.Errorf("%s: the page lacks %s", file, form[1])
			}
		}
	}
	golden, err := filepath.Glob("testdata/*json.golden")
	if err != nil || len(golden) == 0 {
		t.Fatal(err)
	}
	for _, file := range golden {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		for field := range fieldsOf(value, map[string]bool{}) {
			if !strings.Contains(page, "`"+field+"`") {
				t.Errorf("%s: the page lacks the field %s", file, field)
			}
		}
	}
}

func fieldsOf(value any, into map[string]bool) map[string]bool {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			into[name] = true
			fieldsOf(inner, into)
		}
	case []any:
		for _, inner := range v {
			fieldsOf(inner, into)
		}
	}
	return into
}
