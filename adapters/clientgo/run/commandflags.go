package run

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// commandFlag reads a command.
type commandFlag struct {
	command *Command
	verb    Verb
}

// String returns "": no command is a default.
func (commandFlag) String() string { return "" }

var errTwoCommands = errors.New("a program carries out one of -pause, -resume, -approve, -refuse and -retire")

// Set sets the command.
func (f commandFlag) Set(text string) error {
	if f.command.Verb != VerbUnset {
		return errTwoCommands
	}
	c := Command{Verb: f.verb}
	var err error
	switch f.verb {
	case Pause, Resume:
		err = eachTerm(text, "all, kind=apps/Deployment or namespace=prod", c.extentTerm)
		if err == nil && c.What == (engine.Extent{}) {
			err = errNoRange
		}
	case Approve:
		err = eachTerm(text, "uid=UID, all, atmost=5000 or for=1h", c.answerTerm)
	case Refuse:
		err = eachTerm(text, "uid=UID, all, keep or orphan", c.answerTerm)
	case Retire:
		c.Finalizer = text
	}
	if err == nil {
		err = c.check()
	}
	if err == nil {
		*f.command = c
	}
	return err
}

var errNoRange = errors.New("it takes a range: all, kind=Pod or namespace=prod")

// extentTerm sets the range of a pause: "all", "kind=Pod" or "namespace=prod". A pause also takes
// "unchecked".
func (c *Command) extentTerm(key, value string) (bool, error) {
	if key == "unchecked" && c.Verb == Pause {
		c.Unchecked = true
		return value == "", nil
	}
	var none engine.Extent
	if c.What != none {
		return false, errors.New("it takes one term: all, kind=Pod or namespace=prod")
	}
	switch key {
	case "all":
		c.What.All = true
		return value == "", nil
	case "kind":
		c.What.Kind = graph.Kind(value)
		return true, kindError(value)
	case "namespace":
		c.What.InScope, c.What.Scope = true, value
		return true, nil
	}
	return false, nil
}

// answerTerm sets a part of an answer: "all" or "uid=U", and "atmost=500", "for=1h", "keep"
// or "orphan".
func (c *Command) answerTerm(key, value string) (bool, error) {
	var err error
	switch {
	case key == "all" && c.Cascade == "":
		c.All = true
		return value == "", nil
	case key == "uid" && !c.All:
		c.Cascade = graph.UID(value)
		return value != "", nil
	case key == "atmost" && c.Verb == Approve:
		c.AtMost, err = strconv.Atoi(value)
		return err == nil && c.AtMost > 0, nil
	case key == "for" && c.Verb == Approve:
		c.For, err = time.ParseDuration(value)
		return err == nil && c.For > 0, nil
	case key == "keep" && c.Verb == Refuse:
		c.Refusal = engine.KeepHeld
		return value == "", nil
	case key == "orphan" && c.Verb == Refuse:
		c.Refusal = engine.OrphanHeld
		return value == "", nil
	}
	return false, nil
}

// kindError returns the fault of the name of a kind.
func kindError(value string) error {
	group, kind, grouped := strings.Cut(value, "/")
	if value == "" || grouped && (group == "" || kind == "") || strings.Contains(kind, "/") || strings.ContainsAny(value, "* ") {
		return errors.New("it names no kind: write Pod or apps/Deployment")
	}
	return nil
}
