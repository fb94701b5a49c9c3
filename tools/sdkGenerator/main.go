// Checks a Pulumi package schema with Pulumi's own checker, and writes the SDKs of the languages that are given a folder:
//
//	sdks check schema.json
//	sdks generate schema.json FOLDER    → FOLDER/python, FOLDER/go
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "pulumi-gpufleet"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 2 && args[0] == "check" {
		_, err := read(args[1])
		return err
	}
	if len(args) == 3 && args[0] == "generate" {
		return generate(args[1], args[2])
	}
	return fmt.Errorf("usage: sdks check SCHEMA | sdks generate SCHEMA FOLDER")
}

// Warnings count as well: what Pulumi only warns of today it may refuse tomorrow.
func read(file string) (*schema.Package, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	pkg, problems, err := schema.BindSpec(spec, nil, schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return pkg, nil
}

// Each generator reads the package anew, since the others leave their own marks in it.
func generate(file string, folder string) error {
	languages := map[string]func(*schema.Package) (map[string][]byte, error){
		"python": func(pkg *schema.Package) (map[string][]byte, error) {
			return python.GeneratePackage(tool, pkg, nil, nil)
		},
		"go": func(pkg *schema.Package) (map[string][]byte, error) {
			return gogen.GeneratePackage(tool, pkg, nil)
		},
	}
	for language, generate := range languages {
		pkg, err := read(file)
		if err != nil {
			return err
		}
		files, err := generate(pkg)
		if err != nil {
			return fmt.Errorf("%s: %w", language, err)
		}
		for name, text := range files {
			target := filepath.Join(folder, language, name)
			if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(target, text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
