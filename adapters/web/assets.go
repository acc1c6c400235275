package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/view"
)

//go:embed assets
var files embed.FS

// asset is a file that a browser may keep. Its address has a part of its hash.
type asset struct {
	text       []byte
	kind, hash string
}

// serve answers with the file. During an update two versions of a program may answer in turn. So
// no browser keeps a file for the address of another version.
//
//test:by TestHeaders
func (a asset) serve(w http.ResponseWriter, version string) {
	w.Header().Set("Content-Type", a.kind)
	if version == a.hash {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		w.Header().Del("Vary")
	}
	_, _ = w.Write(a.text)
}

func readAssets() (map[string]asset, error) {
	out := map[string]asset{}
	for name, kind := range map[string]string{
		"style.css": "text/css; charset=utf-8", "icon.svg": "image/svg+xml",
		"cascade.js": "text/javascript; charset=utf-8", "live.js": "text/javascript; charset=utf-8",
	} {
		text, err := files.ReadFile(path.Join("assets", name))
		if err != nil {
			return nil, err
		}
		out[name] = newAsset(text, kind)
	}
	out["graph.css"] = newAsset([]byte(view.Style()), "text/css; charset=utf-8")
	return out, nil
}

func newAsset(text []byte, kind string) asset {
	sum := sha256.Sum256(text)
	return asset{text, kind, hex.EncodeToString(sum[:6])}
}

// readPages reads the templates. Each page is a file that fills the layout.
func readPages(assets map[string]asset, c Config) (map[string]*template.Template, error) {
	functions := template.FuncMap{
		"clean": func(s any) string { return clean(fmt.Sprint(s)) },
		"kind":  func(s any) string { return kindText(graph.Kind(fmt.Sprint(s))) },
		"pre":   pre, "count": count, "things": things, "age": age, "rate": rateText,
		"ago": func(now, then time.Time) string { return age(now.Sub(then)) },
		"now": c.Now, "archived": func() bool { return c.Archive != nil },
		"clock": func(t time.Time) string { return t.UTC().Format("15:04:05") + " UTC" },
		"utc":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"asset": func(name string) string { return name + "?v=" + assets[name].hash },
	}
	out := map[string]*template.Template{}
	for _, name := range []string{"overview", "search", "held", "object", "plan", "cascade", "deletions", "archive", "reasons", "error"} {
		t, err := template.New("layout.html").Funcs(functions).ParseFS(files, "assets/layout.html", "assets/parts.html", "assets/"+name+".html")
		if err != nil {
			return nil, err
		}
		out[name] = t
	}
	return out, nil
}

// pre returns a text of many lines, each of them clean.
func pre(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if b.Len() > maxPre {
			b.WriteString("…\n")
			break
		}
		b.WriteString(cleanTo(strings.TrimSuffix(line, "\n"), maxLine) + "\n")
	}
	return b.String()
}

// rateText returns a number per second in three digits.
func rateText(x float64) string {
	switch {
	case x >= 100:
		return count(int64(x + .5))
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}
