package processes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/internal/servers"
)

// Launch starts a process that is the program of this test, with a task.
func Launch(ctx context.Context, t Task) (*Process, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p, err := servers.Launch(ctx, t.Dir, t.Name, self, taskArgument, string(text))
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", t.file("socket"))
	}}}
	return &Process{Process: p, Ask: func(ctx context.Context) (s Status, err error) { return s, fetch(ctx, client, &s) }}, nil
}

func fetch(ctx context.Context, client *http.Client, s *Status) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://process/", nil)
	if err != nil {
		return err
	}
	a, err := client.Do(q)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	return json.NewDecoder(a.Body).Decode(s)
}

// ReadWrites reads the books of all processes in a folder.
func ReadWrites(dir string) (out []Write, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.writes"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	for _, name := range files {
		list, err := readBook(name)
		if err != nil {
			return nil, fmt.Errorf("read the writes of %s: %w", name, err)
		}
		out = append(out, list...)
	}
	return out, nil
}

func readBook(name string) (out []Write, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	at := map[int]int{}
	process := strings.TrimSuffix(filepath.Base(name), ".writes")
	for lines := json.NewDecoder(f); ; {
		var l line
		switch err := lines.Decode(&l); {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // a kill may cut the last line
			return out, nil
		case err != nil:
			return nil, err
		case l.Begun != nil:
			at[l.N] = len(out)
			l.Begun.Process = process
			out = append(out, *l.Begun)
		default:
			w := &out[at[l.N]]
			w.Outcome, w.Text, w.Ended = l.Outcome, l.Text, l.Ended
		}
	}
}
