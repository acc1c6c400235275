package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/policy"
)

// maxPage bounds one answer of a program, in bytes.
const maxPage = 64 << 20

// addFrom adds the flag that names a running program.
func (a *app) addFrom(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.from, "from", "", "ask a running program: the address of its pages (adapters/web)")
}

// checkFrom returns the fault of a command line with --from and another origin.
func (a *app) checkFrom() error {
	switch u, err := url.Parse(a.from); {
	case a.source.file != "" || a.source.store.url != "" || a.cluster.Names():
		return printing.UsageError("--from: want no other place of the objects")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return printing.UsageError("--from: want the address of a page: http://HOST:PORT/PATH") // the value may have a password
	}
	return nil
}

// ask reads the JSON of a page of the program.
//
//test:by TestFrom
func (a *app) ask(ctx context.Context, page, form string, q url.Values, into any) error {
	ctx, cancel := a.source.deadline(ctx)
	defer cancel()
	u, err := url.Parse(a.from)
	if err != nil {
		return printing.UsageError("--from: want the address of a page")
	}
	u = u.JoinPath(page)
	u.RawQuery = q.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return timely(ctx, fmt.Errorf("ask %s: %w", u.Redacted(), bare(err)))
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxPage+1))
	switch {
	case err != nil:
		return timely(ctx, fmt.Errorf("ask %s: %w", u.Redacted(), err))
	case len(text) > maxPage:
		return fmt.Errorf("ask %s: the answer has more than %d bytes", u.Redacted(), maxPage)
	case answer.StatusCode == http.StatusNotFound:
		return fmt.Errorf("ask %s: %w: %s", u.Redacted(), graph.ErrNotFound, errorOf(text))
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("ask %s: %s: %s", u.Redacted(), answer.Status, errorOf(text))
	}
	var named struct{ Schema string }
	if err := json.Unmarshal(text, &named); err != nil || named.Schema != form {
		return fmt.Errorf("ask %s: no page of ownergraph: want JSON of the form %s", u.Redacted(), form)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("ask %s: read the form %s: %w", u.Redacted(), form, err)
	}
	return nil
}

// bare returns the cause of an error of a client, without the address and its password.
func bare(err error) error {
	if of := (*url.Error)(nil); errors.As(err, &of) {
		return of.Err
	}
	return err
}

// errorOf returns the text of a page's error.
func errorOf(text []byte) string {
	var page struct{ Error string }
	if json.Unmarshal(text, &page) == nil && page.Error != "" {
		return spell.Clip(page.Error)
	}
	return spell.Clip(strings.TrimSpace(string(text)))
}

// explainFrom explains an object as a running program knows it, also one that is gone.
//
//test:by TestFrom
func (a *app) explainFrom(ctx context.Context, args []string) error {
	place, err := a.placeFrom(ctx, args)
	if err != nil {
		return err
	}
	var page struct {
		Explanation explain.Explanation `json:"explanation"`
	}
	if err := a.ask(ctx, "object", "ownergraph/object/v1", url.Values{"key": {place.PlaceString()}}, &page); err != nil {
		return err
	}
	return a.writeExplained(page.Explanation, "")
}

// placeFrom returns the place that the arguments name in a running program.
func (a *app) placeFrom(ctx context.Context, args []string) (k graph.Key, err error) {
	names, err := namedIn(args)
	if err != nil {
		return k, err
	}
	n := names[0]
	if n.typ == "" { // in quotes
		k, err := graph.ParsePlace(n.name)
		if err != nil {
			return k, printing.UsageError(err.Error())
		}
		return k, nil
	}
	kind, err := a.kindFrom(ctx, n.typ)
	switch {
	case err != nil:
		return k, err
	case n.scope != "":
		return graph.Key{Kind: kind, Scope: n.scope, Name: n.name}, nil
	}
	return a.searchFrom(ctx, graph.Key{Kind: kind, Scope: a.scope(), Name: n.name})
}

// kindFrom returns the kind of a running program that a type means.
func (a *app) kindFrom(ctx context.Context, typ string) (graph.Kind, error) {
	var page struct {
		Kinds []struct {
			Kind graph.Kind `json:"kind"`
		} `json:"kinds"`
	}
	if err := a.ask(ctx, "", "ownergraph/overview/v1", nil, &page); err != nil {
		return "", err
	}
	t, err := spell.ParseTarget(typ + "/any")
	if err != nil {
		return "", printing.UsageError(err.Error())
	}
	var one []graph.Object // of each kind
	for _, k := range page.Kinds {
		one = append(one, graph.Object{Key: graph.Key{Kind: k.Kind, Name: "any", UID: graph.UID(k.Kind)}})
	}
	o, err := spell.Find(one, t)
	if err != nil {
		return "", fmt.Errorf("the program has no kind %q: %w", typ, graph.ErrNotFound)
	}
	return o.Kind, nil
}

// searchFrom returns the place of the one object with the name, in the scope or without one. A name that
// no object has may be that of one that is gone.
func (a *app) searchFrom(ctx context.Context, k graph.Key) (graph.Key, error) {
	q := url.Values{"kind": {string(k.Kind)}, "name": {k.Name}}
	var found []graph.Object
	for next := q; next != nil; {
		var page struct {
			Objects []struct {
				Key jsonKey `json:"key"`
			} `json:"objects"`
			Next string `json:"next"`
		}
		if err := a.ask(ctx, "search", "ownergraph/search/v1", next, &page); err != nil {
			return k, err
		}
		for _, o := range page.Objects {
			if key := graph.Key(o.Key); key.Kind == k.Kind && key.Name == k.Name && (k.Scope == "" || key.Scope == "" || key.Scope == k.Scope) {
				found = append(found, graph.Object{Key: key})
			}
		}
		next = queryOf(page.Next)
		if len(found) > spell.MaxNamed {
			break
		}
	}
	switch len(found) {
	case 0:
		return k, nil
	case 1:
		return found[0].Place(), nil
	}
	return k, fmt.Errorf("find %s: %w: %s", k.Text(), spell.ErrAmbiguous, spell.List(found))
}

// queryOf returns the query of a link to a next page, or nil.
func queryOf(link string) url.Values {
	if u, err := url.Parse(link); err == nil && link != "" {
		return u.Query()
	}
	return nil
}

// deletionsPage is the JSON of the page of the deletions.
type deletionsPage struct {
	Schema    string `json:"schema"`
	Total     int    `json:"total"`
	Next      string `json:"next"`
	Deletions []struct {
		Root    jsonKey   `json:"root"`
		Since   time.Time `json:"since"`
		Known   int       `json:"known"`
		Gone    int       `json:"gone"`
		Left    int       `json:"left"`
		Held    int       `json:"held"`
		Drop    int       `json:"references"`
		Rate    float64   `json:"gonePerSecond"`
		Blocker *struct {
			Key    jsonKey       `json:"key"`
			Reason policy.Reason `json:"reason"`
			Detail []string      `json:"detail"`
		} `json:"blocker"`
	} `json:"deletions"`
}

// topFrom reads the deletions of a running program.
//
//test:by TestFrom
func (a *app) topFrom(ctx context.Context) (list []cascade, more int, err error) {
	var all deletionsPage
	for next := (url.Values{}); next != nil && len(all.Deletions) < maxAsked; {
		var page deletionsPage
		if err := a.ask(ctx, "deletions", "ownergraph/deletions/v1", next, &page); err != nil {
			return nil, 0, err
		}
		all.Total, all.Deletions = page.Total, append(all.Deletions, page.Deletions...)
		next = queryOf(page.Next)
	}
	for _, d := range all.Deletions {
		c := cascade{Kind: d.Root.Kind, Scope: d.Root.Scope, Name: d.Root.Name, UID: d.Root.UID, Gone: d.Gone, Left: d.Left, Held: d.Held, References: d.Drop, HeldBy: []string{}, rate: d.Rate}
		if !d.Since.IsZero() {
			c.MarkedAt = &d.Since
		}
		if b := d.Blocker; b != nil {
			c.Blocker = &blocker{Kind: b.Key.Kind, Scope: b.Key.Scope, Name: b.Key.Name, UID: b.Key.UID, Finalizers: b.Detail, Reason: codeOf(b.Reason)}
		}
		list = append(list, c)
	}
	return list, all.Total - len(list), nil
}

// maxAsked bounds the deletions that a program is asked for.
const maxAsked = 1000
