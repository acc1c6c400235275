package run

import (
	"context"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"
)

// TestRunLeavesNothing: a program with all settings runs against a server of HTTP/2
// over TLS. It ends all its goroutines, even during a request to its own handler.
func TestRunLeavesNothing(t *testing.T) {
	leavesNothing(t, Config{Lease: Lease{Namespace: "kube-system", Name: "ownergraph"}})
	leavesNothing(t, sharing("a"))
}

func leavesNothing(t *testing.T, c Config) {
	t.Helper()
	a := newAPI()
	server := httptest.NewUnstartedServer(a)
	server.EnableHTTP2 = true
	server.StartTLS()
	before := goleak.IgnoreCurrent()
	rc := &rest.Config{Host: server.URL}
	rc.CAData = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	log := &journal{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	c.Act, c.Events, c.Listen, c.Logger = true, true, "127.0.0.1:0", log.logger()
	go func() { done <- Run(ctx, rc, c) }()
	client := &http.Client{Transport: &http.Transport{}}
	at := ""
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for text := ""; !strings.HasPrefix(text, "ok: 2 kinds are listed") || c.Share.Auto && !strings.Contains(text, "1 of 1"); text = fetch(t, client, at) {
		<-tick.C
		for _, line := range log.with("serving health") {
			at = "http://" + regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(line)[1] + "/readyz"
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	client.CloseIdleConnections()
	goleak.VerifyNone(t, before)
	server.Close()
}

func fetch(t *testing.T, client *http.Client, at string) string {
	t.Helper()
	if at == "" {
		return ""
	}
	resp, err := client.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestConnectionsEnd: a connection that is dialled at the end of the program is closed
// too.
func TestConnectionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		c := newConnections(a.serve(t).Dial)
		made, err := c.dial(t.Context(), "tcp", "x")
		if err != nil {
			t.Fatal(err)
		}
		c.close()
		if _, err := made.Read(make([]byte, 1)); err != io.ErrClosedPipe {
			t.Errorf("a read of a closed connection: %v", err)
		}
		if _, err := c.dial(t.Context(), "tcp", "x"); err == nil {
			t.Error("dialled after the end")
		}
		if err := made.Close(); err != nil {
			t.Error(err)
		}
	})
}
