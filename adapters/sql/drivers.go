package sqlstore

import (
	"errors"
	"reflect"
	"strings"
)

// dialectOf returns the database of a driver by the name of its type.
func dialectOf(driver string) Dialect {
	name := strings.ToLower(driver)
	switch {
	case strings.Contains(name, "sqlite"):
		return SQLite
	case strings.Contains(name, "stdlib.driver"), strings.Contains(name, "pgx"), strings.Contains(name, "pq.driver"):
		return Postgres
	}
	return DialectUnset
}

// codeOf returns the result code in an error of SQLite. modernc.org/sqlite has it as a method,
// and github.com/mattn/go-sqlite3 as a field. This package imports neither driver.
//
//test:by TestDriverErrors
func codeOf(err error) (code int, ok bool) {
	var method interface{ Code() int }
	if errors.As(err, &method) {
		return method.Code(), true
	}
	switch x := err.(type) {
	case nil:
		return 0, false
	case interface{ Unwrap() error }:
		return codeOf(x.Unwrap())
	case interface{ Unwrap() []error }:
		for _, e := range x.Unwrap() {
			if code, ok := codeOf(e); ok {
				return code, true
			}
		}
		return 0, false
	}
	v := reflect.Indirect(reflect.ValueOf(err))
	if v.Kind() != reflect.Struct || !strings.Contains(v.Type().PkgPath(), "sqlite") {
		return 0, false
	}
	field := v.FieldByName("Code")
	if !field.IsValid() || !field.CanInt() {
		return 0, false
	}
	return int(field.Int()), true
}
