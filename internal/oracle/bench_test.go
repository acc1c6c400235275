package oracle

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func must[T any](t testing.TB, parse func(string) (T, error), s string) T {
	t.Helper()
	v, err := parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var scopes = []string{
	"a; b -> a!; c -> b! | fg a; touch b",
	"a*; b; c -> a!, b | fg a; bg b",
	"a -> b!; b -> a!; c -> a, b! | fg a; fg b",
	"a*; b* -> a!; c* -> a!, b! | fg a; orphan b",
}

func BenchmarkEnds(b *testing.B) {
	for _, text := range scopes {
		b.Run(text, func(b *testing.B) {
			start, actions := scenario(b, text)
			for b.Loop() {
				Ends(start, actions, Config{})
			}
		})
	}
}

func scenario(t testing.TB, text string) ([]graph.Object, []Action) {
	t.Helper()
	g, acts, _ := cut(text)
	return must(t, graph.Parse, g), must(t, ParseActions, acts)
}

func cut(s string) (string, string, bool) {
	for i := range s {
		if s[i] == '|' {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

func TestCount(t *testing.T) {
	for _, text := range scopes {
		start, actions := scenario(t, text)
		all, _ := explore([]State{NewState(start)}, Config{})
		n := len(all)
		for _, a := range actions {
			all, _ = explore(apply(a, all), Config{})
			n += len(all)
		}
		t.Log(text, n, Ends(start, actions, Config{}), EndsQuiet(start, actions, Config{}))
	}
}
