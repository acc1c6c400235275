package browser

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/ownergraph/ownergraph/adapters/web"
)

var screenshots = flag.String("screenshots", "", "the `folder` that gets the screenshots of the documentation")

// TestScreenshots takes the screenshots of the documentation. Each is small enough for a
// repository.
func TestScreenshots(t *testing.T) {
	w := newWorld(t)
	f := &frozen{Collector: w.collector}
	b := open(t, f, web.Config{Now: f.clock})
	b.still()
	for _, c := range []struct {
		name, page, scheme, reason string
		width, height              int64
	}{
		{"overview", "", "light", "the first page", 1280, 1000},
		{"deletions", "deletions", "light", "the deletions under way", 1280, 800},
		{"object", address("object", w.find(b, "apps/Deployment/checkout")), "dark", "an object that waits", 1280, 1150},
		{"plan", address("plan", w.find(b, "apps/Deployment/cart"), "propagation", "background"), "light", "a forecast", 1280, 1000},
		{"phone", "deletions", "light", "the smallest width", 320, 720},
	} {
		b.look(c.width, c.scheme)
		b.visit(c.page)
		var shot []byte
		b.do(emulation.SetDeviceMetricsOverride(c.width, c.height, 1, false), chromedp.CaptureScreenshot(&shot))
		shot = small(t, shot)
		if len(shot) > 150<<10 || len(shot) < 5<<10 {
			t.Errorf("%s has %d bytes: %s", c.name, len(shot), c.reason)
		}
		if *screenshots != "" {
			if err := os.WriteFile(filepath.Join(*screenshots, c.name+".png"), shot, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.calm("screenshots")
}

// small returns the picture with the 256 colours that it has most.
func small(t *testing.T, text []byte) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&out, paletted(full)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func paletted(full image.Image) *image.Paletted {
	n := map[color.RGBA]int{}
	r := full.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(full.At(x, y)).(color.RGBA) }
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			n[at(x, y)]++
		}
	}
	out := image.NewPaletted(r, most(n))
	index := map[color.RGBA]uint8{}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c := at(x, y)
			i, ok := index[c]
			if !ok {
				i = uint8(out.Palette.Index(c))
				index[c] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	return out
}

// most returns the 256 most frequent colours.
func most(n map[color.RGBA]int) color.Palette {
	all := slices.SortedFunc(maps.Keys(n), func(a, b color.RGBA) int {
		return cmp.Or(n[b]-n[a], cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var p color.Palette
	for _, c := range all[:min(len(all), 256)] {
		p = append(p, c)
	}
	return p
}
