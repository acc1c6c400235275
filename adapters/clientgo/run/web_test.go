package run

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/adapters/web"
	"github.com/ownergraph/ownergraph/graph"
)

// TestWebOnRequest: without Config.Web no listener has the pages, also not the one of the metrics.
func TestWebOnRequest(t *testing.T) {
	p, err := New(&rest.Config{}, Config{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	if p.pages != nil {
		t.Error("the program has pages")
	}
	for _, path := range []string{"/", "/search", "/reasons", "/style.css"} {
		if w := get(p, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
	if _, err := New(&rest.Config{}, Config{Web: ":0", Pages: web.Config{MaxStreams: -1}}); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("wrong settings of the pages: error %v", err)
	}
	for _, c := range []struct{ address, want, reason string }{
		{":8081", "127.0.0.1:8081", "no host is this machine"}, {"0.0.0.0:8081", "0.0.0.0:8081", "all addresses, by name"},
		{"localhost:8081", "localhost:8081", "a name"}, {"", "", "none"},
	} {
		if got := onThisMachine(c.address); got != c.want {
			t.Errorf("%q is %q, want %q: %s", c.address, got, c.want, c.reason)
		}
	}
}

// TestWeb: the pages have an address of their own, on this machine alone. An open stream does not
// delay the end of the program.
func TestWeb(t *testing.T) {
	a := newAPI()
	a.put("configmaps", named("settings"))
	server := a.serve(t)
	before := goleak.IgnoreCurrent()
	log := &journal{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, server, Config{Web: ":0", Logger: log.logger()})
	}()
	client := &http.Client{Transport: &http.Transport{}}
	at := ""
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(fetch(t, client, orNot(at, "search")), ">settings<") {
		<-tick.C
		for _, line := range log.with("serving pages") {
			at = "http://" + regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(line)[1] + "/"
		}
	}
	if !strings.HasPrefix(at, "http://127.0.0.1:") {
		t.Errorf("the pages are at %s", at)
	}
	if got := fetch(t, client, at+"metrics"); !strings.Contains(got, "no such page") {
		t.Errorf("metrics beside the pages: %s", got)
	}
	stream, err := client.Get(at + "events?key=ConfigMap/ns/settings")
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(stream.Body); lines.Scan() && !strings.Contains(lines.Text(), `"state":"waiting"`); {
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	_ = stream.Body.Close()
	client.CloseIdleConnections()
	goleak.VerifyNone(t, before)
}

// orNot returns the address of a page, or none without an address of the pages.
func orNot(at, page string) string {
	if at == "" {
		return ""
	}
	return at + page
}
