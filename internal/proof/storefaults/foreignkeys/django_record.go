package main

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// scenario is a world of the testdata, with Django's end.
type scenario struct {
	reason, django, differs string
	world                   world
}

// readScenarios reads the form of testdata/django.txt. Its blocks are apart by an empty line.
func readScenarios(text string) (list []scenario, err error) {
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		var c scenario
		var drawn string
		fields := map[string]*string{"reason": &c.reason, "world": &drawn, "django": &c.django, "differs": &c.differs, "oracle": new(string)}
		for line := range strings.SplitSeq(block, "\n") {
			name, value, _ := strings.Cut(line, ":")
			field := fields[name]
			switch {
			case strings.HasPrefix(line, "#"):
			case field == nil || *field != "":
				return nil, fmt.Errorf("read scenarios: line %q: unknown, or twice in a block", line)
			default:
				*field = strings.TrimSpace(value)
			}
		}
		if drawn == "" && c.reason+c.django+c.differs == "" {
			continue // comments, or the line of the oracle
		}
		if c.reason == "" || c.django == "" {
			return nil, fmt.Errorf("read scenarios: block %q: want a reason, a world and an end", block)
		}
		if c.world, err = parseWorld(drawn); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// record writes Django's ends into the file of scenarios. It changes no other line.
func record(ctx context.Context, python, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	recorded, err := recordIn(ctx, python, string(text))
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(recorded), 0o644)
}

// recordIn returns the text with Django's ends.
func recordIn(ctx context.Context, python, text string) (string, error) {
	list, err := readScenarios(text)
	if err != nil {
		return "", err
	}
	worlds := make([]world, len(list))
	for i := range list {
		worlds[i] = list[i].world
	}
	answers, versions, err := askDjango(ctx, python, worlds)
	if err != nil {
		return "", err
	}
	for i := range list {
		if _, err := list[i].world.endOfAnswer(&answers[i]); err != nil {
			return "", err
		}
	}
	lines := strings.Split(text, "\n")
	next := 0
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "oracle:"):
			lines[i] = "oracle: " + versions
		case strings.HasPrefix(line, "django:"):
			lines[i] = "django: " + answers[next].String()
			next++
		}
	}
	return strings.Join(lines, "\n"), nil
}
