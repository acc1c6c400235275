package ownergraph

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/run"
)

const (
	// cascadesField is the field of the record that has the trips and the answers of the brake.
	cascadesField = "cascades"
	// maxCascadesText bounds that field, and maxRecordText the record. A record has room for
	// 64 KiB in every store, so pauses have the other half.
	maxCascadesText = 32 << 10
	maxRecordText   = 64 << 10
)

// readFacts reads what the record has for the brake. Without a limit of cascades it does not
// count, and stays as it is.
func (c *Collector) readFacts(d *run.Document) ([]brake.Fact, error) {
	if c.cfg.Brake.PerCascade == 0 || d.Field(cascadesField) == nil {
		return nil, nil
	}
	list, err := brake.ReadFacts(d.Field(cascadesField))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cascadesField, err)
	}
	return list, nil
}

// isUnrecorded reports whether the brake has something for the record.
func (c *Collector) isUnrecorded() (is bool) {
	c.locked(func(e engine.Driver, _ time.Time) { is = e.IsUnrecorded() })
	return is
}

// letRecord asks for a write of the record, if the brake has something for it.
func (c *Collector) letRecord() {
	if c.record.store != nil && c.engine.IsUnrecorded() {
		select {
		case c.record.due <- struct{}{}:
		default:
		}
	}
}

// noteUnwritten logs the error of a write for the brake, once.
func (c *Collector) noteUnwritten(err error) error {
	text := ""
	if err != nil && !errors.Is(err, ErrConflict) {
		text = err.Error()
	}
	c.locked(func(engine.Driver, time.Time) {
		if text != "" && text != c.record.unwritten {
			c.say(effect.Warn, "record cannot be written", "record", c.record.name, "err", text)
		}
		c.record.unwritten = text
	})
	return err
}

// mergeFacts returns the document of the record with what the brake has for it. Next gets the
// facts. Rest is the length of the document without them.
func (c *Collector) mergeFacts(was, next *content, rest int) run.Document {
	if c.cfg.Brake.PerCascade == 0 {
		return was.document
	}
	var texts [][]byte
	c.locked(func(e engine.Driver, now time.Time) {
		next.facts, texts = e.MergeRecord(now, was.facts, min(maxCascadesText, maxRecordText-rest))
	})
	if len(texts) == 0 && was.document.Field(cascadesField) == nil {
		return was.document
	}
	return was.document.With(cascadesField, fmt.Appendf(nil, "[%s]", bytes.Join(texts, []byte(","))))
}
