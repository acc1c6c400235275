package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

var heading = regexp.MustCompile(`^## \[([^\]]+)\](.*)$`)

// checkChangelog returns an error unless the text has a section "## [X.Y.Z] - YYYY-MM-DD" with
// content, and nothing stands in the section Unreleased.
//
//test:by TestChangelog
func checkChangelog(text, version string) error {
	sections, dates := map[string]string{}, map[string]string{}
	at := ""
	for line := range strings.SplitSeq(text, "\n") {
		if m := heading.FindStringSubmatch(line); m != nil {
			at = m[1]
			if _, twice := dates[at]; twice {
				return fmt.Errorf("CHANGELOG.md: two sections [%s]", at)
			}
			dates[at] = strings.TrimPrefix(m[2], " - ")
			continue
		}
		if at != "" && !strings.HasPrefix(line, "#") {
			sections[at] += strings.TrimSpace(line)
		}
	}
	name := strings.TrimPrefix(version, "v")
	date, has := dates[name]
	switch {
	case !has:
		return fmt.Errorf("CHANGELOG.md: no section [%s]", name)
	case sections[name] == "":
		return fmt.Errorf("CHANGELOG.md: section [%s]: empty", name)
	case sections["Unreleased"] != "":
		return fmt.Errorf("CHANGELOG.md: section [Unreleased]: not empty: move its lines to [%s]", name)
	}
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return fmt.Errorf("CHANGELOG.md: section [%s]: date %q: want \"## [%s] - YYYY-MM-DD\"", name, date, name)
	}
	return nil
}
