/**
 * The syntax tree of a chat template. The nodes and their meaning are those of `jinja2.nodes` in Jinja2 3.1.6;
 * names differ only where TypeScript needs it (`else` for `else_`, `elifs` for `elif_`).
 *
 * A tree from `parseTemplate` is at most `MAX_DEPTH` nodes deep, so an evaluator may recurse over it.
 */

/** A place in the template source as it was given, before line breaks are normalized. */
export interface Position {
  /** From 1. `\n`, `\r\n` and `\r` end a line. */
  readonly line: number
  /** From 1, in UTF-16 code units. */
  readonly column: number
  /** From 0, in UTF-16 code units from the start of the source. */
  readonly offset: number
}

interface NodeBase<Type extends string> {
  readonly type: Type
  readonly position: Position
}

export interface Template extends NodeBase<'Template'> {
  readonly body: Body
}

export type Body = readonly Statement[]

// ---- statements ----------------------------------------------------------------------------------------------

export type Statement =
  | Output
  | For
  | If
  | Assign
  | AssignBlock
  | Macro
  | CallBlock
  | FilterBlock
  | With
  | Generation
  | Break
  | Continue
  | LoadTemplate

/** Template text and `{{ }}` in a row, or `{% print a, b %}`. */
export interface Output extends NodeBase<'Output'> {
  readonly nodes: readonly (TemplateData | Expression)[]
}

/** Text between tags, after white space control, never empty. */
export interface TemplateData extends NodeBase<'TemplateData'> {
  readonly data: string
}

/** `{% for target in iter if test recursive %}body{% else %}else{% endfor %}` */
export interface For extends NodeBase<'For'> {
  readonly target: Target
  readonly iter: Expression
  readonly test: Expression | undefined
  readonly recursive: boolean
  readonly body: Body
  readonly else: Body
}

export interface If extends NodeBase<'If'> {
  readonly test: Expression
  readonly body: Body
  /** Each `elif`, flat, in order. */
  readonly elifs: readonly Elif[]
  readonly else: Body
}

export interface Elif extends NodeBase<'Elif'> {
  readonly test: Expression
  readonly body: Body
}

/** `{% set target = value %}` */
export interface Assign extends NodeBase<'Assign'> {
  readonly target: Target
  readonly value: Expression
}

/** `{% set target | filters %}body{% endset %}` */
export interface AssignBlock extends NodeBase<'AssignBlock'> {
  readonly target: Target
  /** In the order in which they are applied; often empty. */
  readonly filters: readonly FilterCall[]
  readonly body: Body
}

/** A parameter of a macro or call block. */
export interface Parameter extends NodeBase<'Parameter'> {
  readonly name: string
  /** Evaluated at each call that does not give the argument, in the scope of the body. */
  readonly default: Expression | undefined
}

export interface Macro extends NodeBase<'Macro'> {
  readonly name: string
  readonly parameters: readonly Parameter[]
  readonly body: Body
}

/** `{% call(parameters) call %}body{% endcall %}`: the body is a macro, passed as the keyword argument `caller`. */
export interface CallBlock extends NodeBase<'CallBlock'> {
  readonly parameters: readonly Parameter[]
  readonly call: Call
  readonly body: Body
}

/** `{% filter filters %}body{% endfilter %}` */
export interface FilterBlock extends NodeBase<'FilterBlock'> {
  /** In the order in which they are applied; never empty. */
  readonly filters: readonly FilterCall[]
  readonly body: Body
}

/** `{% with target = value, ... %}body{% endwith %}`. All values are evaluated in the outer scope. */
export interface With extends NodeBase<'With'> {
  /** Names or tuples of names; a namespace attribute cannot stand here. */
  readonly targets: readonly Target[]
  /** As many as targets. */
  readonly values: readonly Expression[]
  readonly body: Body
}

/**
 * `{% generation %}body{% endgeneration %}`, transformers' mark for what the assistant wrote. There it is a call
 * block: the body is a macro without parameters, so what it sets stays inside.
 */
export interface Generation extends NodeBase<'Generation'> {
  readonly body: Body
}

/** Only inside a loop, and not across the border of a macro, call block or generation block. */
export interface Break extends NodeBase<'Break'> {}

/** As `Break`. */
export interface Continue extends NodeBase<'Continue'> {}

/**
 * A tag that needs another template. transformers has no loader, so Jinja2 raises when (and only when) it comes to
 * run one.
 */
export interface LoadTemplate extends NodeBase<'LoadTemplate'> {
  readonly tag: 'extends' | 'include' | 'import' | 'from'
}

// ---- what can be assigned to ---------------------------------------------------------------------------------

export type Target = Name | NSRef | TargetTuple

/** `ns.attr` as the target of `set`. `name` must be a namespace when it runs. */
export interface NSRef extends NodeBase<'NSRef'> {
  readonly name: string
  readonly attr: string
}

export interface TargetTuple extends NodeBase<'TargetTuple'> {
  readonly items: readonly Target[]
}

// ---- expressions ---------------------------------------------------------------------------------------------

export type Expression =
  | Name
  | Const
  | List
  | Tuple
  | Dict
  | CondExpr
  | BinExpr
  | Concat
  | Compare
  | And
  | Or
  | Not
  | Neg
  | Pos
  | Getattr
  | Getitem
  | Filter
  | Test
  | Call

export interface Name extends NodeBase<'Name'> {
  readonly name: string
}

/**
 * A literal. `bigint` is Python's int, `number` its float, `null` its None. Adjacent string literals are already
 * joined, escapes already read.
 */
export interface Const extends NodeBase<'Const'> {
  readonly value: string | bigint | number | boolean | null
}

export interface List extends NodeBase<'List'> {
  readonly items: readonly Expression[]
}

export interface Tuple extends NodeBase<'Tuple'> {
  readonly items: readonly Expression[]
}

export interface Dict extends NodeBase<'Dict'> {
  readonly items: readonly Pair[]
}

export interface Pair extends NodeBase<'Pair'> {
  readonly key: Expression
  readonly value: Expression
}

/** `then if test else else`; without `else` it is undefined where the test fails. */
export interface CondExpr extends NodeBase<'CondExpr'> {
  readonly test: Expression
  readonly then: Expression
  readonly else: Expression | undefined
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**'

export interface BinExpr extends NodeBase<'BinExpr'> {
  readonly operator: BinaryOperator
  readonly left: Expression
  readonly right: Expression
}

/** `a ~ b ~ c`: at least two. */
export interface Concat extends NodeBase<'Concat'> {
  readonly nodes: readonly Expression[]
}

export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in'

/** `a < b < c`, as a chain: each operand is evaluated once, and only as far as the chain holds. */
export interface Compare extends NodeBase<'Compare'> {
  readonly expression: Expression
  readonly operands: readonly Operand[]
}

export interface Operand extends NodeBase<'Operand'> {
  readonly operator: CompareOperator
  readonly expression: Expression
}

export interface And extends NodeBase<'And'> {
  readonly left: Expression
  readonly right: Expression
}

export interface Or extends NodeBase<'Or'> {
  readonly left: Expression
  readonly right: Expression
}

export interface Not extends NodeBase<'Not'> {
  readonly node: Expression
}

export interface Neg extends NodeBase<'Neg'> {
  readonly node: Expression
}

export interface Pos extends NodeBase<'Pos'> {
  readonly node: Expression
}

/** `node.attr` */
export interface Getattr extends NodeBase<'Getattr'> {
  readonly node: Expression
  readonly attr: string
}

/** `node[argument]`, and `node.0` with an int. `node[a, b]` and `node[]` have a Tuple. */
export interface Getitem extends NodeBase<'Getitem'> {
  readonly node: Expression
  readonly argument: Expression | Slice
}

export interface Slice extends NodeBase<'Slice'> {
  readonly start: Expression | undefined
  readonly stop: Expression | undefined
  readonly step: Expression | undefined
}

export interface Keyword extends NodeBase<'Keyword'> {
  readonly key: string
  readonly value: Expression
}

/** What stands in the parentheses of a call, a filter or a test. */
export interface CallArguments {
  readonly args: readonly Expression[]
  readonly kwargs: readonly Keyword[]
  /** `*expression` */
  readonly dynArgs: Expression | undefined
  /** `**expression` */
  readonly dynKwargs: Expression | undefined
}

export interface Call extends NodeBase<'Call'>, CallArguments {
  readonly node: Expression
}

export interface Filter extends NodeBase<'Filter'>, CallArguments {
  readonly node: Expression
  readonly name: string
}

/** A filter that is applied to the text of a block. */
export interface FilterCall extends NodeBase<'FilterCall'>, CallArguments {
  readonly name: string
}

/** `node is name(args)`; `is not` is a `Not` around it. */
export interface Test extends NodeBase<'Test'>, CallArguments {
  readonly node: Expression
  readonly name: string
}

/** Any node of the tree. */
export type Node =
  | Template
  | Statement
  | Expression
  | TemplateData
  | Elif
  | Parameter
  | NSRef
  | TargetTuple
  | Pair
  | Operand
  | Slice
  | Keyword
  | FilterCall
