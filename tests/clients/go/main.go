// Reads documents with the client of openapi-generator.
//
// Lines of "schema TAB file" become lines of JSON: the document as it was read, or the error.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	catalog "reader/catalog"
)

func read(name, path string) any {
	document := models[name]()
	body, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(body, document)
	}
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	if day, ok := document.(*catalog.DayChanges); ok {
		for i := range day.Data {
			if day.Data[i].GetActualInstance() == nil { // which it reads, but refuses to write
				return map[string]any{"document": map[string]any{"data": make([]struct{}, len(day.Data))}}
			}
		}
	}
	return map[string]any{"document": document}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		name, path, _ := strings.Cut(lines.Text(), "\t")
		line, err := json.Marshal(read(name, path))
		if err != nil {
			panic(err)
		}
		fmt.Println(string(line))
	}
}
