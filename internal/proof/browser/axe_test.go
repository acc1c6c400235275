package browser

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// axe-core checks a page against the guidelines for accessible content. Its licence is MPL-2.0, so
// it is fetched and no part of this repository.
const (
	axeVersion   = "4.14.1"
	axeIntegrity = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==" // SHA-512 of the archive
	axeAddress   = "https://registry.npmjs.org/axe-core/-/axe-core-" + axeVersion + ".tgz"
)

// axe returns the script. The cache of the user keeps the archive, and each use checks it.
func axe(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(cache, "ownergraph", "axe", axeVersion+".tgz")
	text, err := os.ReadFile(file)
	if err != nil || !isAxe(text) {
		text = fetch(t, axeAddress)
		if !isAxe(text) {
			t.Fatalf("%s has other content than expected", axeAddress)
		}
		keep(t, file, text)
	}
	script, err := unpack(text, "package/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	return script
}

func isAxe(text []byte) bool {
	sum := sha512.Sum512(text)
	return base64.StdEncoding.EncodeToString(sum[:]) == axeIntegrity
}

func fetch(t *testing.T, address string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(w.Body, 16<<20))
	if err != nil || w.StatusCode != http.StatusOK {
		t.Fatalf("fetch %s: %s: %v", address, w.Status, err)
	}
	return text
}

// keep writes a file in one step, since another test may read it.
func keep(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	part := fmt.Sprintf("%s.%d", file, os.Getpid())
	if err := os.WriteFile(part, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(part, file); err != nil {
		t.Fatal(err)
	}
}

// unpack returns one file of an archive.
func unpack(archive []byte, name string) (string, error) {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return "", err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			return "", fmt.Errorf("unpack %s: %w", name, err)
		}
		if h.Name == name {
			text, err := io.ReadAll(r)
			return string(text), err
		}
	}
}

// The options of axe: the rules of WCAG 2.2, levels A and AA, and of good practice, or one of them.
const (
	allRules = `{runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}`
	colours  = `{runOnly: {type: "rule", values: ["color-contrast"]}}`
)

// accessible checks the present page, which has the script of axe.
func (b *tab) accessible(options, where string) {
	b.Helper()
	var got []any
	b.do(chromedp.Evaluate(`axe.run(document, `+options+`).then(r => [r.passes.length].concat(r.violations.map(v =>
		v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary).join("; "))))`, &got, chromedp.EvalAsValue, awaited))
	if n, _ := got[0].(float64); n < 1 || options == allRules && n < 10 {
		b.Errorf("%s: axe has checked %v rules", where, got[0])
	}
	for _, v := range got[1:] {
		b.Errorf("%s: %s", where, strings.Join(strings.Fields(fmt.Sprint(v)), " "))
	}
}
