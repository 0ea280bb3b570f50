"""The OpenAPI document of the services, against which a test holds what comes back."""

import jsonschema
import yaml

from .relay import REPOSITORY


def document():
    return yaml.safe_load((REPOSITORY / "Docs/openapi.yaml").read_text())


class Walk:
    """Asks, and holds each answer to the document, refusals as well."""

    def __init__(self, services):
        self.services = services
        self.pages = document()
        # The operations that were asked for.
        self.seen = set()

    def operations(self, *tags):
        """The operations with one of these tags."""
        return {
            one["operationId"] for path in self.pages["paths"].values() for one in path.values()
            if set(tags) & set(one["tags"])}

    def tags(self):
        return {tag["name"] for tag in self.pages["tags"]}

    def ask(self, method, path, body=None, *, at=None, **options):
        """One request. `at` is the path as the document has it, if it has a `{…}`."""
        answer = self.services.ask(method, path, body, **options)
        operation = self.pages["paths"][at or path.partition("?")[0]][method.lower()]
        said = operation["responses"].get(str(answer.status)) or operation["responses"]["default"]
        if "$ref" in said:
            said = self.pages["components"]["responses"][said["$ref"].rpartition("/")[2]]
        for kind, content in said.get("content", {}).items():
            assert answer.headers.get_content_type() == kind, (method, path)
            if "schema" in content:
                jsonschema.validate(answer.json, {**content["schema"], "components": self.pages["components"]})
        self.seen.add(operation["operationId"])
        return answer
