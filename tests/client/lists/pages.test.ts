import { UnreadableAnswerError } from "../../../provider/client";
import { closeServices, failureOf, type Handler, json, serve } from "../localService";
import { bareMetalRecord } from "../records";

afterEach(closeServices);

const path = "/v2/alpha/on-demand/bare-metal-rentals";
const record = bareMetalRecord;

/** Answers each path, query included, with its page. */
function pages(known: Record<string, [body: unknown, headers?: Record<string, string>]>): Handler {
  return (request, response) => {
    const [body, headers] = known[request.path] ?? [{ error: "no such page" }];
    json(response, body === undefined ? 404 : 200, body, headers);
  };
}

describe("a list in pages is read to its end", () => {
  test.each([
    ["a relative link", `<${path}?page=2>; rel="next"`],
    ["a link without quotes", `<${path}?page=2>; rel=next`],
    ["a link of only a query", `<?page=2>; rel="next"`],
    ["one link of several", `<${path}?page=9>; rel="last", <${path}?page=2>; title="a, b"; rel="next"`],
  ])("by %s", async (_, link) => {
    const service = await serve(
      pages({ [path]: [[record(1)], { link }], [`${path}?page=2`]: [[record(2)], { link: `<${path}>; rel="prev"` }] }),
    );
    const rentals = await service.client().listBareMetalRentals();
    expect(rentals.map(({ id }) => id)).toEqual([1, 2]);
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      expect.stringMatching(/^Bearer /),
      expect.stringMatching(/^Bearer /),
    ]);
  });

  test("by an absolute link to the same service, below a base URL with a path", async () => {
    const service = await serve((request, response) => {
      const link = `<http://${request.headers.host}/api${path}?page=2>; rel="next"`;
      return pages({ [`/api${path}`]: [[record(1)], { link }], [`/api${path}?page=2`]: [[record(2)]] })(
        request,
        response,
        0,
      );
    });
    const rentals = await service.client({ baseUrl: `${service.url}/api` }).listBareMetalRentals();
    expect(rentals.map(({ id }) => id)).toEqual([1, 2]);
  });

  test.each([
    ["next", (next: string) => ({ next })],
    ["links.next", (next: string) => ({ links: { next } })],
    ["_links.next.href", (next: string) => ({ _links: { next: { href: next } } })],
    ["pagination.next_url", (next: string) => ({ pagination: { next_url: next } })],
    ["meta.pagination.links.next", (next: string) => ({ meta: { pagination: { links: { next } } } })],
    ["paging.next.link", (next: string) => ({ paging: { next: { after: "100", link: next } } })],
    ["next_page.uri", (next: string) => ({ next_page: { offset: "eyJ0", uri: next } })],
    ["a list of links", (next: string) => ({ instances_links: [{ rel: "next", href: next }] })],
  ])("by %s in the body", async (_, more) => {
    const list = "/v1/marketplace/instances";
    const service = await serve(
      pages({
        [list]: [{ instances: [{ id: "a" }], total: 2, ...more(`${list}?page=2`) }],
        [`${list}?page=2`]: [{ instances: [{ id: "b" }], total: 2, next: null }],
      }),
    );
    const { instances } = await service.client().listMarketplaceInstances();
    expect(instances.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  test("with what cannot be read on any of them", async () => {
    const link = `<${path}?page=2>; rel="next"`;
    const service = await serve(
      pages({ [path]: [[{ id: 1, label: 1 }, record(2)], { link }], [`${path}?page=2`]: [[{ id: 3, label: 1 }]] }),
    );
    const rentals = await service.client().listBareMetalRentals();
    expect(rentals.map(({ id }) => id)).toEqual([2]);
    expect(rentals.unreadable?.map(({ id }) => id)).toEqual(["1", "3"]);
  });
});

describe("a list of which there may be more fails, and says what speaks for it", () => {
  const refused = (reason: string, where = path) =>
    `GET ${where} answered 200: the answer could not be read: ${reason}`;
  const partial = (sign: string) => `it is not the whole list, and how to ask for the rest is not known (${sign})`;

  test.each<[Record<string, string>, string]>([
    [{ "X-Next-Page": "2" }, "the header X-Next-Page 2"],
    [{ "X-Total-Count": "3" }, "the header X-Total-Count 3, and 1 came"],
    [{ "X-Total": "2" }, "the header X-Total 2, and 1 came"],
    [{ "X-Total-Pages": "2", "X-Page": "1" }, "the header X-Total-Pages 2"],
    [{ "X-Has-More": "true" }, "the header X-Has-More true"],
    [{ "Next-Range": "id ]5..; max=10" }, 'the header Next-Range "id ]5..; max=10"'],
    [{ "X-Pagination": '{"TotalCount":57,"PageSize":1}' }, "the header X-Pagination.TotalCount 57, and 1 came"],
    [{ "X-Pagination": '{"CurrentPage":1,"HasNext":true}' }, "the header X-Pagination.HasNext true"],
    [{ "X-Pagination-Page-Count": "3", "X-Pagination-Current-Page": "1" }, "the header X-Pagination-Page-Count 3"],
    [{ Total: "57", "Per-Page": "1" }, "the header Total 57, and 1 came"],
    [{ "Per-Page": "1" }, "the header Per-Page 1, and 1 came"],
    [{ "X-WP-Total": "57" }, "the header X-Wp-Total 57, and 1 came"],
    [{ "Content-Range": "items 0-0/12" }, "the header Content-Range of 12, and 1 came"],
    [{ "Content-Range": "items 0-0/*" }, "the header Content-Range items 0-0/*"],
    [{ Warning: '199 - "one region did not answer"' }, 'the header Warning 199 - "one region did not answer"'],
    [{ Warning: '110 - "Response is Stale"' }, 'the header Warning 110 - "Response is Stale"'],
    [{ Link: '<https://evil.example/x>; rel="next"' }, "a next page at another address, https://evil.example"],
    [{ Link: '/v2/next?page=2; rel="next"' }, 'the header Link /v2/next?page=2; rel="next"'],
    [{ Link: "<?page=2>; relation=next" }, "the header Link <?page=2>; relation=next"],
    [{ "X-Next-Page-Cursor": "abc" }, 'the header X-Next-Page-Cursor "abc"'],
    [{ "X-Next-Id": "7" }, "the header X-Next-Id 7"],
    [{ "x-ms-continuation": "abc" }, 'the header X-Ms-Continuation "abc"'],
    [{ Link: '<http://[bad>; rel="next"' }, "a next page at another address, which is not a URL"],
  ])("headers %j", async (headers, sign) => {
    const service = await serve(pages({ [path]: [[record(1)], headers] }));
    const error = await failureOf(service.client().listBareMetalRentals());
    expect(error).toBeInstanceOf(UnreadableAnswerError);
    expect(error.message).toBe(refused(partial(sign)));
    expect(service.requests).toHaveLength(1);
  });

  const list = "/v1/marketplace/instances";
  test.each<[object, string]>([
    [{ next: 2 }, "next 2"],
    [{ next: "b3BhcXVl" }, 'next "b3BhcXVl"'],
    [{ next_cursor: "abc" }, 'next_cursor "abc"'],
    [{ nextCursor: "abc" }, 'nextCursor "abc"'],
    [{ meta: { cursor: "abc" } }, 'meta.cursor "abc"'],
    [{ nextPageToken: "abc" }, 'nextPageToken "abc"'],
    [{ next_page_cursor: "abc" }, 'next_page_cursor "abc"'],
    [{ nextPageNumber: 2 }, "nextPageNumber 2"],
    [{ next_id: "abc" }, 'next_id "abc"'],
    [{ nextContinuationToken: "abc" }, 'nextContinuationToken "abc"'],
    [{ next_start: 100 }, "next_start 100"],
    [{ more_items: true }, "more_items true"],
    [{ hasMore: "y" }, 'hasMore "y"'],
    [{ paging_info: { total: 2 } }, "paging_info.total 2, and 1 came"],
    [{ total_instances: 2 }, "total_instances 2, and 1 came"],
    [{ has_more: true }, "has_more true"],
    [{ pagination: { hasMore: true } }, "pagination.hasMore true"],
    [{ pageInfo: { hasNextPage: true } }, "pageInfo.hasNextPage true"],
    [{ page: 1, total_pages: 3 }, "total_pages 3"],
    [{ total: 2 }, "total 2, and 1 came"],
    [{ meta: { total_count: "7" } }, "meta.total_count 7, and 1 came"],
    [{ limit: 1, offset: 0 }, "limit 1, and 1 came"],
    [{ limit: 1, count: 1 }, "limit 1, and 1 came"],
    [
      { meta: { pagination: { page: 1, next_page: 2, last_page: 4, total_entries: 100 } } },
      "meta.pagination.next_page 2",
    ],
    [{ meta: { pagination: { page: 1, last_page: 4 } } }, "meta.pagination.last_page 4"],
    [{ meta: { pagination: { page: 1, pageSize: 1, total: 100 } } }, "meta.pagination.total 100, and 1 came"],
    [{ meta: { total_entries: 100 } }, "meta.total_entries 100, and 1 came"],
    [{ paging: { next: { after: "100" } } }, 'paging.next {"after":"100"}'],
    [{ meta: { pagination: { cursors: { next: "abc" } } } }, 'meta.pagination.cursors.next "abc"'],
    [{ LastEvaluatedKey: { id: { S: "a" } } }, 'LastEvaluatedKey {"id":{"S":"a"}}'],
    [{ count: 1, total: 57 }, "total 57, and 1 came"],
    [{ totalElements: 57, last: false }, "last false"],
    [{ metadata: { continue: "abc" } }, 'metadata.continue "abc"'],
    [{ partial: true, warnings: [] }, "partial true"],
    [{ partial: "true" }, 'partial "true"'],
    [{ incomplete: true }, "incomplete true"],
    [{ incomplete_results: true }, "incomplete_results true"],
    [{ incomplete: ["eu-west-3"] }, 'incomplete ["eu-west-3"]'],
    [{ truncated: true }, "truncated true"],
    [{ meta: { complete: false } }, "meta.complete false"],
    [{ status: "partial_success" }, 'status "partial_success"'],
    [{ warnings: ["eu-west-3 did not answer"] }, 'warnings ["eu-west-3 did not answer"]'],
    [
      { warnings: [{ message: "v1 is deprecated" }, { message: "a shard is missing" }] },
      'warnings [{"message":"v1 is deprecated"},{"message":"a shard is missing"}]',
    ],
    [{ unreachable: ["eu-west-3"] }, 'unreachable ["eu-west-3"]'],
    [{ meta: { errors: [{ code: 7 }] } }, 'meta.errors [{"code":7}]'],
    // A next page does not bring what was left out.
    [{ warnings: ["eu-west-3 did not answer"], next: `${list}?page=2` }, 'warnings ["eu-west-3 did not answer"]'],
    [{ warnings: ["x".repeat(200)] }, `warnings ["${"x".repeat(118)}…`],
  ])("a body with %j", async (more, sign) => {
    const service = await serve(pages({ [list]: [{ instances: [{ id: "a" }], ...more }] }));
    const error = await failureOf(service.client().listMarketplaceInstances());
    expect(error).toBeInstanceOf(UnreadableAnswerError);
    expect(error.message).toBe(refused(partial(sign), list));
  });

  test("a cursor that is nested deeper than anything can be written", async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const service = await serve((_, response) => void response.end(`{"instances":[{"id":"a"}],"next":${deep}}`));
    const error = await failureOf(service.client().listMarketplaceInstances());
    expect(error.message).toBe(refused(partial("next (nested too deep to show)"), list));
  });

  test("the status 206", async () => {
    const service = await serve((_, response) => json(response, 206, [record(1)]));
    const error = await failureOf(service.client().listBareMetalRentals());
    expect(error.message).toBe(
      refused(partial("the status 206, which is a part of the list")).replace("answered 200", "answered 206"),
    );
  });

  test("but not for the status 206 of a range that holds everything", async () => {
    const service = await serve((_, response) => json(response, 206, [record(1)], { "Content-Range": "items 0-0/1" }));
    expect(await service.client().listBareMetalRentals()).toHaveLength(1);
  });

  test("but not for the status 206 of pages that are followed to the last", async () => {
    const service = await serve((request, response) =>
      request.path === path
        ? json(response, 206, [record(1)], { Link: `<${path}?page=2>; rel="next"`, "Content-Range": "items 0-0/2" })
        : json(response, 206, [record(2)], { "Content-Range": "items 1-1/2" }),
    );
    expect(await service.client().listBareMetalRentals()).toHaveLength(2);
  });

  test.each<[Record<string, string>, string]>([
    [{ "X-Total-Count": "3" }, "the header X-Total-Count 3, and 2 came"],
    [{ "Content-Range": "items 0-0/3" }, "the header Content-Range of 3, and 2 came"],
    [{ "X-Total-Pages": "3" }, "the header X-Total-Pages 3"],
  ])("%j on the first of two pages, and nothing on the last", async (headers, sign) => {
    const link = `<${path}?page=2>; rel="next"`;
    const service = await serve(
      pages({ [path]: [[record(1)], { ...headers, link }], [`${path}?page=2`]: [[record(2)]] }),
    );
    const error = await failureOf(service.client().listBareMetalRentals());
    expect(error.message).toBe(refused(partial(sign)));
  });

  test("but not for a total that is smaller by the last page, nor for pages that are counted from 0", async () => {
    const link = `<${path}?page=2>; rel="next"`;
    const service = await serve(
      pages({
        [path]: [[record(1)], { link, "X-Total-Count": "3", "X-Total-Pages": "2", "X-Page": "0" }],
        [`${path}?page=2`]: [[record(2)], { "X-Total-Count": "2", "X-Total-Pages": "2", "X-Page": "1" }],
      }),
    );
    expect(await service.client().listBareMetalRentals()).toHaveLength(2);
  });

  test.each<object>([
    { partial: false, complete: true, truncated: null, incomplete: [] },
    { warnings: [], errors: [], count: null, unreachable: [], last: true, meta: { errors: null } },
    { warnings: ["/v1 is deprecated, use /v2"], status: "ok", message: "partial" },
    { next: null, has_more: false, total: 1, page: 1, total_pages: 1 },
    { next: "", next_cursor: null, cursor: "" },
    { limit: 100, offset: 0 },
    { limit: 1, total: 1 },
    { next_id: null, nextPageNumber: 0, more_items: false, more_info: { url: list }, total_instances: 1 },
    { total: 12.5, count: 1, pages: 0 },
    { meta: { pagination: { page: 1, per_page: 1, next_page: null, last_page: 1, total_entries: 1 } } },
    { meta: { pagination: { page: 1, pageSize: 25, pageCount: 1, total: 1 } } },
    { paging: { next: {}, cursors: { before: "a", after: "b" } } },
    { paging: { next: { after: null, link: "" } }, _links: { next: { href: null, templated: true } } },
    { cursor: { current: "abc", next: null }, links: [{ rel: "self", href: list }], LastEvaluatedKey: {} },
  ])("but not for %j", async (more) => {
    const headers = {
      "X-Total-Count": "1",
      "X-Next-Page": "",
      "X-Pagination": '{"TotalCount":1,"CurrentPage":1,"TotalPages":1,"HasNext":false,"NextPageLink":null}',
      Total: "1",
      "Per-Page": "1",
      Link: `<${list}>; rel="self"; title="next < to \\"it\\"; rel=next", <${list}?page=next>; rel=first`,
      Warning: '299 - "deprecated"',
    };
    const service = await serve(pages({ [list]: [{ instances: [{ id: "a" }], ...more }, headers] }));
    await expect(service.client().listMarketplaceInstances()).resolves.toMatchObject({ instances: [{ id: "a" }] });
  });

  test("pages that go round in circles", async () => {
    const service = await serve(
      pages({
        [path]: [[record(1)], { link: `<${path}?page=2>; rel="next"` }],
        [`${path}?page=2`]: [[record(2)], { link: `<${path}>; rel="next"` }],
      }),
    );
    const error = await failureOf(service.client().listBareMetalRentals());
    expect(error.message).toBe(refused("its pages lead back to one that was read already"));
    expect(service.requests).toHaveLength(2);
  });

  test("pages without end", async () => {
    let page = 1;
    const service = await serve((_, response) => {
      page += 1;
      json(response, 200, [], { link: `<${path}?page=${page}>; rel="next"` });
    });
    const error = await failureOf(service.client().listBareMetalRentals());
    expect(error.message).toBe(refused("it has more than 1000 pages"));
  });

  test("a page that fails, and not with the pages before it", async () => {
    const service = await serve((request, response) =>
      request.path === path
        ? json(response, 200, [record(1)], { link: `<${path}?page=2>; rel="next"` })
        : json(response, 403, { error: "no" }),
    );
    const error = await failureOf(service.client().listBareMetalRentals());
    expect(error.message).toBe(`GET ${path} answered 403: no`);
  });
});
