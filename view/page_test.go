package view_test

import (
	"encoding/xml"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/view"
)

// linkTo returns an address that attacks a page.
func linkTo(b view.Box) string {
	return fmt.Sprintf(`object?key=%s&kind=%s"><script>`, url.QueryEscape(b.Key.Name), url.QueryEscape(string(b.Kind)))
}

// linksOf returns the addresses of the boxes of a drawing, which is well-formed.
func linksOf(t *testing.T, text string) (links []string) {
	t.Helper()
	if err := xml.Unmarshal([]byte(text), new(struct{})); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
	for _, m := range regexp.MustCompile(`<a href="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		links = append(links, html.UnescapeString(m[1]))
	}
	return links
}

// TestPage: each box of an object is a link, and no name or address adds an element, a style or a script.
func TestPage(t *testing.T) {
	root := graph.Object{Key: graph.Key{Kind: "app", Name: "root", UID: "root"}}
	objects := []graph.Object{root}
	for i, name := range hostile() {
		objects = append(objects, graph.Object{Key: graph.Key{Kind: "note", Name: name[:min(len(name), 400)], UID: graph.UID(fmt.Sprint(i))}, Owners: []graph.Owner{{Key: root.Key}}})
	}
	p := view.Tree(objects, root.Key, 0)
	for _, perRow := range []int{-1, 1, 2, 4, 1000} {
		text := p.Page(perRow, linkTo)
		if n := len(linksOf(t, text)); n != len(objects) {
			t.Errorf("%d in a row: %d links for %d objects", perRow, n, len(objects))
		}
		for _, wrong := range []string{"<style", "style=", "<script", "onload=\"", "id="} {
			if strings.Contains(text, wrong) {
				t.Errorf("%d in a row: the drawing has %q", perRow, wrong)
			}
		}
		if strings.Count(text, ` aria-current="true"`) != 1 {
			t.Errorf("%d in a row: the subject is not marked once", perRow)
		}
	}
	if n := len(linksOf(t, p.Page(4, func(view.Box) string { return "" }))); n > 0 {
		t.Errorf("%d links without an address", n)
	}
	for _, class := range []string{".held .box", ".waiting .box", "prefers-color-scheme"} {
		if !strings.Contains(view.Style(), class) {
			t.Errorf("the style sheet has no %s", class)
		}
	}
}

// TestSVGIsNarrow: a small picture fits a column of a manual, and any picture has a bounded width.
func TestSVGIsNarrow(t *testing.T) {
	for _, c := range []struct {
		objects, below int
		reason         string
	}{
		{8, 720, "three boxes side by side"}, {22, 1150, "five boxes side by side"}, {500, 2700, "eight boxes, and the lines of many second owners"},
	} {
		text := view.Tree(crowd(c.objects), crowd(1)[0].Key, 0).SVG()
		var w, h int
		if _, err := fmt.Sscanf(text[strings.Index(text, "viewBox"):], `viewBox="0 0 %d %d"`, &w, &h); err != nil || w > c.below {
			t.Errorf("%d objects are %d wide (%v), want at most %d: %s", c.objects, w, err, c.below, c.reason)
		}
	}
}

// TestGrouped: many dependents of one kind become one box with their count. An opened group has its
// objects, and the subject is in no group.
func TestGrouped(t *testing.T) {
	text := "app/a@a; config/c@c -> app/a@a"
	for i := range 6 {
		text += fmt.Sprintf("; set/s%d@s%d~[x.io/f] -> app/a@a; pod/p%d@p%d -> set/s%d@s%d", i, i, i, i, i, i)
	}
	for i := range 50 {
		text += fmt.Sprintf("; log/l%02d@l%02d -> app/a@a", i, i)
	}
	objects := parse(t, text+"; job/j1@j1 -> app/a@a; job/j2@j2 -> app/a@a; job/j3@j3 -> app/a@a")
	app := objects[0].Key
	for _, c := range []struct {
		open   string
		key    string
		want   []string
		not    []string
		reason string
	}{
		{"", "app/a@a", []string{"set × 6", ">6 being deleted<", "log × 50", "of the first 40: 40", "config", ">j3<"}, []string{"pod", "s1"}, "groups of four or more"},
		{"set", "app/a@a", []string{">s1<", ">p5<", "log × 50"}, []string{"set ×"}, "one group is open, with the objects below it"},
		{"", "set/s1@s1", []string{">s1<", ">p1<", ">a<"}, []string{"×"}, "the tree of one object has its owners alone"},
	} {
		key, err := graph.ParseKey(c.key)
		if err != nil {
			t.Fatal(err)
		}
		p := view.Tree(objects, key, 0).Grouped(func(b view.Box) bool { return string(b.Kind) == c.open && b.Key == app })
		drawn := p.Page(4, linkTo)
		linksOf(t, drawn)
		for _, want := range c.want {
			if !strings.Contains(drawn, want) {
				t.Errorf("%s: no %q in\n%s", c.reason, want, drawn)
			}
		}
		for _, not := range c.not {
			if strings.Contains(drawn, not) {
				t.Errorf("%s: %q is in\n%s", c.reason, not, drawn)
			}
		}
	}
	links := strings.Join(linksOf(t, view.Tree(objects, app, 0).Grouped(func(view.Box) bool { return false }).Page(4, linkTo)), " ")
	if !strings.Contains(links, "key=a&kind=set") || strings.Contains(links, "key=s1") {
		t.Errorf("links: %s", links)
	}
}
